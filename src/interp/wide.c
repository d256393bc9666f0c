/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are bytes: integers above 64 bits, the 80-bit float, structs, arrays, vectors. */
#include <math.h>

#include "interp/machine.h"

typedef unsigned __int128 wide;

struct operand {
	const struct ir_type *type;
	const void *at; /* bytes; of numbers, those of the slot, little-endian */
	unsigned char bytes[32];
};

static void fetch(struct machine *m, const struct frame *fr, uint32_t v, struct operand *o)
{
	o->type = type_of(m, ir_type_of(m->m, fr->f->ir, v));
	o->at = fr->r + (v & IR_CONST ? 0 : fr->f->slot_of[v]);
	if (!(v & IR_CONST))
		return;
	if (o->type->size > sizeof(o->bytes)) {
		o->at = NULL;
		return;
	}
	memset(o->bytes, 0, sizeof(o->bytes));
	machine_store_const(m, v & ~IR_CONST, o->bytes);
	o->at = o->bytes;
}

static wide as_wide(const struct operand *o)
{
	wide w = 0;
	memcpy(&w, o->at, o->type->size < 16 ? o->type->size : 16);
	return o->type->bits < 128 ? w & (((wide)1 << o->type->bits) - 1) : w;
}

static __int128 as_signed(const struct operand *o)
{
	unsigned unused = 128 - o->type->bits;
	return (__int128)(as_wide(o) << unused) >> unused;
}

static long double as_float(const struct operand *o)
{
	long double l = 0;
	double d;
	float f;
	if (o->type->kind == IR_F80) {
		memcpy(&l, o->at, 10);
		return l;
	}
	memcpy(&d, o->at, 8);
	memcpy(&f, o->at, 4);
	return o->type->kind == IR_F32 ? (long double)f : (long double)d;
}

static void put_int(const struct ir_type *t, wide w, uint64_t *to)
{
	if (t->bits < 128)
		w &= ((wide)1 << t->bits) - 1;
	memcpy(to, &w, t->size > 8 ? 16 : 8);
}

static void put_float(const struct ir_type *t, long double l, uint64_t *to)
{
	double d = (double)l;
	float f = (float)l;
	to[0] = 0;
	if (t->kind == IR_F80)
		memcpy(to, &l, 10);
	else if (t->kind == IR_F64)
		memcpy(to, &d, 8);
	else
		memcpy(to, &f, 4);
}

static bool divide(struct machine *m, unsigned op, const struct operand *a, const struct operand *b,
		   wide *out)
{
	if (!as_wide(b)) {
		machine_end(m, INTERP_FAILED, "a division by zero");
		return false;
	}
	bool is_signed = op == IR_SDIV || op == IR_SREM;
	if (is_signed && as_signed(b) == -1 && as_wide(a) == (wide)1 << (a->type->bits - 1)) {
		machine_end(m, INTERP_FAILED, "a division that overflows");
		return false;
	}
	switch (op) {
	case IR_UDIV:
		*out = as_wide(a) / as_wide(b);
		break;
	case IR_UREM:
		*out = as_wide(a) % as_wide(b);
		break;
	case IR_SDIV:
		*out = (wide)(as_signed(a) / as_signed(b));
		break;
	default:
		*out = (wide)(as_signed(a) % as_signed(b));
		break;
	}
	return true;
}

static bool integer(struct machine *m, unsigned op, const struct operand *a,
		    const struct operand *b, wide *out)
{
	wide x = as_wide(a), y = as_wide(b);
	bool is_inside = y < a->type->bits;
	switch (op) {
	case IR_ADD:
		*out = x + y;
		return true;
	case IR_SUB:
		*out = x - y;
		return true;
	case IR_MUL:
		*out = x * y;
		return true;
	case IR_AND:
		*out = x & y;
		return true;
	case IR_OR:
		*out = x | y;
		return true;
	case IR_XOR:
		*out = x ^ y;
		return true;
	case IR_SHL:
		*out = is_inside ? x << y : 0;
		return true;
	case IR_LSHR:
		*out = is_inside ? x >> y : 0;
		return true;
	case IR_ASHR:
		*out = is_inside ? (wide)(as_signed(a) >> y) : 0;
		return true;
	default:
		return divide(m, op, a, b, out);
	}
}

static bool compare(unsigned sub, const struct operand *a, const struct operand *b)
{
	wide x = as_wide(a), y = as_wide(b);
	__int128 s = as_signed(a), u = as_signed(b);
	switch (sub) {
	case IR_EQ:
		return x == y;
	case IR_NE:
		return x != y;
	case IR_UGT:
		return x > y;
	case IR_UGE:
		return x >= y;
	case IR_ULT:
		return x < y;
	case IR_ULE:
		return x <= y;
	case IR_SGT:
		return s > u;
	case IR_SGE:
		return s >= u;
	case IR_SLT:
		return s < u;
	default:
		return s <= u;
	}
}

static bool float_compare(unsigned sub, long double a, long double b)
{
	unsigned relation = isunordered(a, b) ? 8 : a < b ? 4 : a > b ? 2 : 1;
	return sub & relation;
}

static long double float_operation(unsigned op, long double a, long double b)
{
	switch (op) {
	case IR_FADD:
		return a + b;
	case IR_FSUB:
		return a - b;
	case IR_FMUL:
		return a * b;
	case IR_FDIV:
		return a / b;
	case IR_FREM:
		return fmodl(a, b);
	default:
		return -a;
	}
}

static void convert(const struct ir_inst *i, const struct ir_type *t, const struct operand *a,
		    uint64_t *to)
{
	switch (i->op) {
	case IR_TRUNC:
	case IR_ZEXT:
		put_int(t, as_wide(a), to);
		return;
	case IR_SEXT:
		put_int(t, (wide)as_signed(a), to);
		return;
	case IR_FPTRUNC:
	case IR_FPEXT:
		put_float(t, as_float(a), to);
		return;
	case IR_FPTOUI:
		put_int(t, as_float(a) > -1 && as_float(a) < 0x1p128L ? (wide)as_float(a) : 0, to);
		return;
	case IR_FPTOSI:
		put_int(t, fabsl(as_float(a)) < 0x1p127L ? (wide)(__int128)as_float(a) : 0, to);
		return;
	/* Rounded once: a float of 32 bits directly from the integer. */
	case IR_UITOFP:
		if (t->kind == IR_F80)
			put_float(t, (long double)as_wide(a), to);
		else
			put_float(t, t->kind == IR_F64 ? (double)as_wide(a) : (float)as_wide(a),
				  to);
		return;
	case IR_SITOFP:
		if (t->kind == IR_F80)
			put_float(t, (long double)as_signed(a), to);
		else
			put_float(t, t->kind == IR_F64 ? (double)as_signed(a) : (float)as_signed(a),
				  to);
		return;
	default: /* BITS */
		to[0] = 0;
		memcpy(to, a->at, ir_store_size(t));
	}
}

static bool exchange(struct machine *m, const struct ir_type *t, const struct operand *o,
		     uint64_t *to)
{
	uint64_t at, size = o[1].type->size;
	memcpy(&at, o[0].at, 8);
	if (!space_check(m, at, size, true))
		return false;
	bool is_equal = !memcmp((void *)at, o[1].at, size);
	memset(to, 0, t->size);
	memcpy(to, (void *)at, size);
	((char *)to)[t->fields.at[1].offset] = is_equal;
	if (is_equal)
		memcpy((void *)at, o[2].at, size);
	return true;
}

static void vector(struct machine *m, const struct frame *fr, const struct ir_inst *i,
		   const struct operand *o, uint64_t *to)
{
	const struct ir_type *whole = o[0].type, *t = type_of(m, i->type);
	uint64_t size = type_of(m, whole->element)->size, number = 0;
	unsigned char out[256] = { 0 };
	if (i->op == IR_SHUFFLE) {
		for (uint32_t k = 2; k < i->operands; k++) {
			uint32_t from = ir_operands(fr->f->ir, i)[k];
			if (from == IR_ANY_ELEMENT)
				continue;
			const struct operand *source = &o[from >= whole->count];
			memcpy(out + (k - 2) * size,
			       (const char *)source->at + from % whole->count * size, size);
		}
		memcpy(to, out, t->size);
		return;
	}
	const struct operand *index = &o[i->op == IR_ELEMENT ? 1 : 2];
	memcpy(&number, index->at, index->type->size < 8 ? index->type->size : 8);
	number %= whole->count; /* outside of it: any value */
	if (i->op == IR_ELEMENT) {
		to[0] = 0;
		memcpy(to, (const char *)o[0].at + number * size, size);
		return;
	}
	memmove(to, o[0].at, whole->size);
	memcpy((char *)to + number * size, o[1].at, size);
}

static void aggregate(struct machine *m, const struct ir_inst *i, const struct operand *o,
		      uint64_t *to)
{
	const struct ir_type *t = type_of(m, i->type);
	if (i->op == IR_EXTRACT) {
		uint64_t value = 0;
		const char *from = (const char *)o[0].at + i->imm;
		if (!ir_is_scalar(t)) {
			memmove(to, from, t->size);
			return;
		}
		memcpy(&value, from, ir_store_size(t));
		to[0] = t->kind == IR_INT ? value & low_bits(t->bits) : value;
		return;
	}
	memmove(to, o[0].at, t->size);
	memcpy((char *)to + i->imm, o[1].at, ir_store_size(o[1].type));
}

bool wide_run(struct machine *m, struct frame *fr, const struct ir_inst *i)
{
	struct operand o[3] = { 0 };
	uint64_t *to = i->result == IR_NONE ? NULL : fr->r + fr->f->slot_of[i->result];
	const struct ir_type *t = i->type == IR_NONE ? NULL : type_of(m, i->type);
	wide w = 0;
	bool is_vector = i->op >= IR_ELEMENT && i->op <= IR_SHUFFLE;
	for (uint32_t k = 0; k < i->operands && k < 3; k++) {
		if (ir_operand_kind((enum ir_op)i->op, i->operands, k) != 'v')
			continue;
		fetch(m, fr, ir_operands(fr->f->ir, i)[k], &o[k]);
		if (!o[k].at || (is_vector && o[k].type->size > 256)) {
			machine_end(m, INTERP_REFUSED, "a large constant as a value");
			return false;
		}
	}
	if (i->op <= IR_XOR) {
		if (!integer(m, i->op, &o[0], &o[1], &w))
			return false;
		put_int(t, w, to);
	} else if (i->op <= IR_FNEG) {
		put_float(t,
			  float_operation(i->op, as_float(&o[0]),
					  i->op == IR_FNEG ? 0 : as_float(&o[1])),
			  to);
	} else if (i->op == IR_ICMP) {
		to[0] = compare(i->sub, &o[0], &o[1]);
	} else if (i->op == IR_FCMP) {
		to[0] = float_compare(i->sub, as_float(&o[0]), as_float(&o[1]));
	} else if (i->op <= IR_BITS) {
		convert(i, t, &o[0], to);
	} else if (i->op == IR_SELECT) {
		memmove(to, *(const char *)o[0].at & 1 ? o[1].at : o[2].at, t->size);
	} else if (i->op == IR_CMPXCHG) {
		return exchange(m, t, o, to);
	} else if (i->op == IR_EXTRACT || i->op == IR_INSERT) {
		aggregate(m, i, o, to);
	} else if (is_vector && t->size <= 256) {
		vector(m, fr, i, o, to);
	} else {
		machine_end(m, INTERP_REFUSED, "the instruction %s on these types",
			    ir_op_word((enum ir_op)i->op));
		return false;
	}
	return true;
}
