/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM's own functions, by the word behind `llvm.`. */
#include <math.h>

#include "interp/machine.h"

enum {
	COPY,
	FILL,
	VA_START,
	VA_COPY,
	NOTHING,
	SAVE,
	RESTORE,
	UMIN,
	UMAX,
	SMIN,
	SMAX,
	ABS,
	POPULATION,
	LEADING,
	TRAILING,
	SWAP,
	REVERSE,
	LEFT,
	RIGHT,
	SADD,
	UADD,
	SSUB,
	USUB,
	SMUL,
	UMUL,
	SAT_SADD,
	SAT_UADD,
	SAT_SSUB,
	SAT_USUB,
	FIRST,
	FALSE,
	SIZE,
	TRAP,
	MULTIPLY_ADD,
	SAME_CLASS,
};

static const struct {
	const char *start;
	int kind;
} names[] = {
	{ "memcpy", COPY },	  { "memmove", COPY },
	{ "memset", FILL },	  { "va_start", VA_START },
	{ "va_copy", VA_COPY },	  { "va_end", NOTHING },
	{ "stacksave", SAVE },	  { "stackrestore", RESTORE },
	{ "umin", UMIN },	  { "umax", UMAX },
	{ "smin", SMIN },	  { "smax", SMAX },
	{ "abs", ABS },		  { "ctpop", POPULATION },
	{ "ctlz", LEADING },	  { "cttz", TRAILING },
	{ "bswap", SWAP },	  { "bitreverse", REVERSE },
	{ "fshl", LEFT },	  { "fshr", RIGHT },
	{ "sadd.with", SADD },	  { "uadd.with", UADD },
	{ "ssub.with", SSUB },	  { "usub.with", USUB },
	{ "smul.with", SMUL },	  { "umul.with", UMUL },
	{ "sadd.sat", SAT_SADD }, { "uadd.sat", SAT_UADD },
	{ "ssub.sat", SAT_SSUB }, { "usub.sat", SAT_USUB },
	{ "expect", FIRST },	  { "threadlocal.address", FIRST },
	{ "launder", FIRST },	  { "is.constant", FALSE },
	{ "objectsize", SIZE },	  { "trap", TRAP },
	{ "debugtrap", TRAP },	  { "fmuladd", MULTIPLY_ADD },
	{ "fma", MULTIPLY_ADD },
};

static enum outcome done(struct call *c, uint64_t value)
{
	*c->result = value;
	return OUTCOME_DONE;
}

static enum outcome memory(struct call *c)
{
	uint64_t a = c->args[0], b = c->count > 1 ? c->args[1] : 0,
		 n = c->count > 2 ? c->args[2] : 0;
	uint32_t list[2] = { 48, 176 }; /* no argument is in a register */
	switch (c->kind) {
	case COPY:
		if (!space_check(c->m, b, n, false) || !space_check(c->m, a, n, true))
			return OUTCOME_END;
		memmove((void *)a, (void *)b, n);
		return OUTCOME_DONE;
	case FILL:
		if (!space_check(c->m, a, n, true))
			return OUTCOME_END;
		memset((void *)a, (int)b, n);
		return OUTCOME_DONE;
	case VA_START:
		if (!space_check(c->m, a, 24, true))
			return OUTCOME_END;
		memcpy((void *)a, list, 8);
		memcpy((void *)(a + 8), &vec_last(&c->t->frames).varargs, 8);
		return OUTCOME_DONE;
	case VA_COPY:
		if (!space_check(c->m, a, 24, true) || !space_check(c->m, b, 24, false))
			return OUTCOME_END;
		memmove((void *)a, (void *)b, 24);
		return OUTCOME_DONE;
	case SAVE:
		return done(c, c->t->stack);
	case RESTORE:
		if (a >= c->t->stack && a <= c->t->stack_end)
			space_mark(c->m, c->t->stack, a - c->t->stack, false);
		c->t->stack = a;
		return OUTCOME_DONE;
	default:
		return OUTCOME_DONE;
	}
}

static uint64_t bits(struct call *c, unsigned w, uint64_t a, uint64_t b)
{
	uint64_t out = 0, n = c->count > 2 ? c->args[2] % w : 0;
	switch (c->kind) {
	case UMIN:
		return a < b ? a : b;
	case UMAX:
		return a > b ? a : b;
	case SMIN:
		return sign_extend(a, w) < sign_extend(b, w) ? a : b;
	case SMAX:
		return sign_extend(a, w) > sign_extend(b, w) ? a : b;
	case ABS:
		return sign_extend(a, w) < 0 ? -a : a;
	case POPULATION:
		return (uint64_t)__builtin_popcountll(a);
	case LEADING:
		return a ? (uint64_t)__builtin_clzll(a) - (64 - w) : w;
	case TRAILING:
		return a ? (uint64_t)__builtin_ctzll(a) : w;
	case SWAP:
		return __builtin_bswap64(a) >> (64 - w);
	case LEFT:
		return n ? a << n | b >> (w - n) : a;
	case RIGHT:
		return n ? a << (w - n) | b >> n : b;
	default:
		for (unsigned i = 0; i < w; i++)
			out |= (a >> i & 1) << (w - 1 - i);
		return out;
	}
}

/* The exact result, of at most 65 bits, or 128 for products. */
static __int128 exact(int kind, unsigned w, uint64_t a, uint64_t b)
{
	__int128 x = sign_extend(a, w), y = sign_extend(b, w);
	switch (kind) {
	case SADD:
	case SAT_SADD:
		return x + y;
	case UADD:
	case SAT_UADD:
		return (__int128)a + b;
	case SSUB:
	case SAT_SSUB:
		return x - y;
	case USUB:
	case SAT_USUB:
		return (__int128)a - b;
	case SMUL:
		return x * y;
	default:
		return (__int128)((unsigned __int128)a * b);
	}
}

static enum outcome overflow(struct call *c, unsigned w)
{
	__int128 value = exact(c->kind, w, c->args[0], c->args[1]), low, high;
	int kind = c->kind >= SAT_SADD ? c->kind - SAT_SADD + SADD : c->kind;
	bool is_signed = kind == SADD || kind == SSUB || kind == SMUL;
	high = is_signed ? ((__int128)1 << (w - 1)) - 1 : ((__int128)1 << w) - 1;
	low = is_signed ? -high - 1 : 0;
	bool is_outside = kind == UMUL ? (unsigned __int128)value > (unsigned __int128)high
				       : value < low || value > high;
	if (c->kind >= SAT_SADD)
		return done(c, (uint64_t)(value < low	 ? low
					  : value > high ? high
							 : value) &
				       low_bits(w));
	const struct ir_type *t = type_of(c->m, c->f->returns);
	uint64_t v = (uint64_t)value & low_bits(w);
	memcpy(c->result, &v, 8);
	if (t->fields.len > 1)
		((char *)c->result)[t->fields.at[1].offset] = is_outside;
	return OUTCOME_DONE;
}

static enum outcome multiply_add(struct call *c)
{
	double v[3];
	float f[3];
	bool is_fused = strncmp(c->f->name, "llvm.fmuladd", 12);
	for (int i = 0; i < 3; i++) {
		memcpy(&v[i], &c->args[i], 8);
		memcpy(&f[i], &c->args[i], 4);
	}
	if (type_of(c->m, c->types[0])->kind == IR_F32) {
		float product = f[0] * f[1], r = is_fused ? fmaf(f[0], f[1], f[2]) : product + f[2];
		memcpy(c->result, &r, 4);
	} else {
		/* x86-64 has no fused operation by default, so two roundings. */
		double product = v[0] * v[1], r = is_fused ? fma(v[0], v[1], v[2]) : product + v[2];
		memcpy(c->result, &r, 8);
	}
	return OUTCOME_DONE;
}

static enum outcome run(struct call *c)
{
	if (c->kind <= RESTORE)
		return memory(c);
	const struct ir_type *t = c->count ? type_of(c->m, c->types[0]) : NULL;
	switch (c->kind) {
	case FIRST:
		return done(c, c->args[0]);
	case FALSE:
		return done(c, 0);
	case SIZE:
		return done(c, c->args[1] & 1 ? 0 : UINT64_MAX);
	case TRAP:
		return machine_end(c->m, INTERP_FAILED, "trap");
	case MULTIPLY_ADD:
		if (ir_is_scalar(t))
			return multiply_add(c);
		break;
	default:
		if (t->kind != IR_INT || t->bits > 64)
			break;
		if (c->kind >= SADD)
			return overflow(c, t->bits);
		return done(c, bits(c, t->bits, c->args[0], c->count > 1 ? c->args[1] : 0) &
				       low_bits(t->bits));
	}
	return machine_end(c->m, INTERP_REFUSED, "the function %s is not modelled", c->f->name);
}

builtin intrinsic_find(const char *name, int *kind)
{
	if (strncmp(name, "llvm.", 5))
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name + 5, names[i].start, strlen(names[i].start))) {
			*kind = names[i].kind;
			return run;
		}
	return NULL;
}
