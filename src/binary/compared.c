/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See compared.h.
 *
 * Functions are read linearly, block by block.  Inside a block the content of a place (a register
 * or a variable in the frame) is tracked as a constant, or as the content of some place at the
 * block's entry plus a constant.  So these forms of comparison are recognised:
 *
 *	cmp [x], 7			7
 *	mov rax, 7; cmp x, rax		7
 *	lea a, [x - 5]; cmp a, 5	5 and 10: a range
 *	sub x, 7; je			7
 *	cmp x, 5; ja; ... jmp table	0 to 5: a switch; or a bit test after the comparison
 *
 * Comparisons of loop counters are left out, since they do not concern inputs.  A place is a
 * counter in one of two cases:
 *   1. It is a frame variable or a callee-saved register that is only ever assigned constants and
 *      sums of itself and constants.  The address of a frame variable must not escape to a
 *      function other than a hook.
 *   2. A block compares it, adds a positive constant to it and ends with a backward jump.  This
 *      covers registers that hold several variables in turn.
 */
#include "binary/compared.h"

#define SWITCH_MAX 64 /* a range with more values is not taken for a switch */
#define REGISTERS 16
#define NOWHERE (-1)

enum { RBX = 3, RSP = 4, RBP = 5, RDI = 7, R12 = 12 };

/* Symbolic content of a place. */
struct origin {
	int place;	/* its content at the block's entry is the base; NOWHERE: unknown */
	bool is_number; /* the content is the constant `offset` */
	int64_t offset; /* the constant, or the constant added to the base */
};

struct place {
	int base;	 /* of a variable in the frame: RSP or RBP; of a register: NOWHERE */
	int64_t at;	 /* of a variable: distance from the base */
	bool has_number; /* it is assigned a constant */
	/* it is assigned something else than a constant, or itself plus a constant */
	bool has_other;
	struct origin now;
};

struct comparison {
	struct nondet_compared with;
	int place;
};

struct reader {
	const struct calls *calls;
	VEC(struct place) places; /* the registers come first */
	VEC(struct comparison) comparisons;
	/* The last instruction, if it set the flags by an addition of a constant: */
	struct origin summand;
	int64_t added;
	unsigned sum_bits; /* 0: it was another instruction */
	size_t last;	   /* comparisons from this index on are those of the last instruction */
	/* of the last comparison: the range of a switch that may follow */
	struct comparison low, high;
	/* By base register: variables at this offset and above may be reached through an escaped
	 * address. */
	int64_t escaped_from[REGISTERS];
	/* the same for addresses that the next call may receive */
	int64_t pending_from[REGISTERS];
};

/* ---- operands ---- */

static int index_of(ZydisRegister r)
{
	ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
	return ZydisRegisterGetClass(wide) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(wide)
								   : NOWHERE;
}

static int64_t extend(int64_t value, unsigned bits)
{
	unsigned shift = bits && bits < 64 ? 64 - bits : 0;
	return (int64_t)((uint64_t)value << shift) >> shift;
}

static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static bool is_number(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static int register_of(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER ? index_of(o->reg.value) : NOWHERE;
}

static int place_of_variable(struct reader *r, const ZydisDecodedOperand *o)
{
	int base = o->type == ZYDIS_OPERAND_TYPE_MEMORY ? index_of(o->mem.base) : NOWHERE;
	if ((base != RSP && base != RBP) || o->mem.index != ZYDIS_REGISTER_NONE)
		return NOWHERE;
	for (size_t i = REGISTERS; i < r->places.len; i++)
		if (r->places.at[i].base == base && r->places.at[i].at == o->mem.disp.value)
			return (int)i;
	struct place new = { .base = base,
			     .at = o->mem.disp.value,
			     .now.place = (int)r->places.len };
	vec_push(&r->places, new);
	return new.now.place;
}

static struct origin origin_of(struct reader *r, const ZydisDecodedOperand *o)
{
	struct origin unknown = { .place = NOWHERE };
	if (is_number(o))
		return (struct origin){ NOWHERE, true, o->imm.value.s };
	if (register_of(o) != NOWHERE)
		return r->places.at[register_of(o)].now;
	int variable = place_of_variable(r, o);
	return variable == NOWHERE ? unknown : r->places.at[variable].now;
}

/* ---- comparisons ---- */

static void add_comparison(struct reader *r, int64_t value, unsigned bits, int place)
{
	vec_push(&r->comparisons, ((struct comparison){ { extend(value, bits), bits }, place }));
}

static void compare(struct reader *r, struct origin what, int64_t with, unsigned bits)
{
	int64_t low = minus(0, what.offset), high = minus(with, what.offset);
	r->last = r->comparisons.len;
	add_comparison(r, high, bits, what.place);
	if (what.offset)
		add_comparison(r, low, bits, what.place);
	r->low = (struct comparison){ { extend(low, bits), bits }, what.place };
	r->high = (struct comparison){ { extend(high, bits), bits }, what.place };
}

static void read_comparison(struct reader *r, const struct sym_instruction *in)
{
	struct origin a = origin_of(r, &in->operands[0]), b = origin_of(r, &in->operands[1]);
	unsigned bits = in->operands[0].size;
	r->high.with.bits = 0;
	if (b.is_number && !a.is_number)
		compare(r, a, b.offset, bits);
	else if (a.is_number && !b.is_number)
		compare(r, b, a.offset, bits);
}

/* A jump through a table, or a bit test, distinguishes all values of the last comparison's range.
 */
static void read_switch(struct reader *r)
{
	const struct nondet_compared *low = &r->low.with, *high = &r->high.with;
	if (!high->bits || high->value < low->value || minus(high->value, low->value) > SWITCH_MAX)
		return;
	for (int64_t value = low->value; value <= high->value; value++)
		add_comparison(r, value, (unsigned)high->bits, r->high.place);
	r->high.with.bits = 0;
}

/* ---- assignments ---- */

static void assign(struct reader *r, const ZydisDecodedOperand *to, struct origin value)
{
	int place = register_of(to);
	if (place == NOWHERE)
		place = place_of_variable(r, to);
	if (place == NOWHERE)
		return;
	if (value.is_number && to->size == 32)
		value.offset = (int64_t)(uint32_t)value.offset;
	struct place *p = &r->places.at[place];
	p->has_number |= value.is_number;
	p->has_other |= !value.is_number && value.place != place;
	p->now = value;
}

static void add_number(struct reader *r, const struct sym_instruction *in, int64_t number)
{
	struct origin value = origin_of(r, &in->operands[0]);
	r->summand = value;
	r->added = number;
	r->sum_bits = value.is_number ? 0 : in->operands[0].size;
	value.offset = plus(value.offset, number);
	assign(r, &in->operands[0], value);
}

static void read_lea(struct reader *r, const struct sym_instruction *in)
{
	const ZydisDecodedOperand *from = &in->operands[1];
	int base = index_of(from->mem.base);
	struct origin value = { .place = NOWHERE };
	if (base != NOWHERE && from->mem.index == ZYDIS_REGISTER_NONE) {
		value = r->places.at[base].now;
		value.offset = plus(value.offset, from->mem.disp.value);
	}
	/* An address in RDI is an argument of the next call, which may be a hook.  Others escape.
	 */
	int64_t *lowest = register_of(&in->operands[0]) == RDI ? r->pending_from : r->escaped_from;
	if ((base == RSP || base == RBP) && from->mem.disp.value < lowest[base])
		lowest[base] = from->mem.disp.value;
	assign(r, &in->operands[0], value);
}

/* Everything that the instruction writes is unknown. */
static void read_other(struct reader *r, const struct sym_instruction *in)
{
	bool restores = in->base.mnemonic == ZYDIS_MNEMONIC_POP;
	for (unsigned i = 0; i < in->base.operand_count; i++) {
		const ZydisDecodedOperand *o = &in->operands[i];
		int reg = register_of(o);
		if (!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) || reg == RSP)
			continue;
		if (restores && reg != NOWHERE)
			r->places.at[reg].now = (struct origin){ .place = NOWHERE };
		else
			assign(r, o, (struct origin){ .place = NOWHERE });
	}
}

/* Pending frame addresses reach the callee: they escape, unless it is a hook. */
static void resolve_pending_addresses(struct reader *r, bool is_hook)
{
	for (unsigned i = 0; i < REGISTERS; i++) {
		if (!is_hook && r->pending_from[i] < r->escaped_from[i])
			r->escaped_from[i] = r->pending_from[i];
		r->pending_from[i] = INT64_MAX;
	}
}

static bool is_preserved(int reg)
{
	return reg == RBX || reg == RBP || reg == RSP || reg >= R12;
}

static void read_call(struct reader *r, const struct sym_instruction *in)
{
	resolve_pending_addresses(r, calls_hook(r->calls, in) != NULL);
	for (int i = 0; i < REGISTERS; i++)
		if (!is_preserved(i))
			r->places.at[i].now = (struct origin){ .place = NOWHERE };
	for (size_t i = REGISTERS; i < r->places.len; i++)
		if (r->places.at[i].at >= r->escaped_from[r->places.at[i].base])
			r->places.at[i].now = (struct origin){ .place = (int)i };
}

/* ---- instructions ---- */

static bool is_same_register(const struct sym_instruction *in)
{
	const ZydisDecodedOperand *a = &in->operands[0], *b = &in->operands[1];
	return register_of(a) != NOWHERE && register_of(b) != NOWHERE &&
	       a->reg.value == b->reg.value;
}

/* Additions of constants.  They set the flags, so a conditional instruction may follow as a
 * comparison. */
static bool read_sum(struct reader *r, const struct sym_instruction *in)
{
	bool has_number = is_number(&in->operands[1]);
	switch (in->base.mnemonic) {
	case ZYDIS_MNEMONIC_INC:
		add_number(r, in, 1);
		return true;
	case ZYDIS_MNEMONIC_DEC:
		add_number(r, in, -1);
		return true;
	case ZYDIS_MNEMONIC_ADD:
		if (has_number)
			add_number(r, in, in->operands[1].imm.value.s);
		return has_number;
	case ZYDIS_MNEMONIC_SUB:
		if (has_number)
			add_number(r, in, minus(0, in->operands[1].imm.value.s));
		return has_number;
	default:
		return false;
	}
}

static void read_effect(struct reader *r, const struct sym_instruction *in)
{
	struct origin zero = { NOWHERE, true, 0 };
	switch (in->base.mnemonic) {
	case ZYDIS_MNEMONIC_CMP:
		read_comparison(r, in);
		break;
	case ZYDIS_MNEMONIC_TEST:
		if (is_same_register(in))
			compare(r, origin_of(r, &in->operands[0]), 0, in->operands[0].size);
		break;
	case ZYDIS_MNEMONIC_BT:
		read_switch(r);
		break;
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		assign(r, &in->operands[0], origin_of(r, &in->operands[1]));
		break;
	case ZYDIS_MNEMONIC_CDQE:
		break;
	case ZYDIS_MNEMONIC_LEA:
		read_lea(r, in);
		break;
	case ZYDIS_MNEMONIC_XOR:
		if (is_same_register(in)) {
			assign(r, &in->operands[0], zero);
			break;
		}
		/* fallthrough */
	default:
		read_other(r, in);
	}
}

static bool reads_flags(const struct sym_instruction *in)
{
	return code_is_conditional(in) || in->base.meta.category == ZYDIS_CATEGORY_SETCC ||
	       in->base.meta.category == ZYDIS_CATEGORY_CMOV;
}

/* At a backward jump: drop the last comparison if it is that of the loop's counter. */
static void drop_loop_counter(struct reader *r)
{
	if (r->last >= r->comparisons.len)
		return;
	int place = r->comparisons.at[r->last].place;
	bool is_kept = place >= REGISTERS || (place != NOWHERE && is_preserved(place));
	if (is_kept && r->places.at[place].now.place == place && r->places.at[place].now.offset > 0)
		r->comparisons.len = r->last;
}

static void read_instruction(struct reader *r, const struct sym_instruction *in)
{
	if (reads_flags(in) && r->sum_bits)
		compare(r, r->summand, minus(0, r->added), r->sum_bits);
	r->sum_bits = 0;
	if (code_is_conditional(in) && code_target(in) <= in->address)
		drop_loop_counter(r);
	if (code_is_call(in))
		read_call(r, in);
	else if (code_is_jump(in) && !code_is_direct(in))
		read_switch(r);
	else if (!code_is_jump(in) && !read_sum(r, in))
		read_effect(r, in);
}

/* ---- functions ---- */

static void begin_function(struct reader *r)
{
	r->places.len = r->comparisons.len = 0;
	for (int i = 0; i < REGISTERS; i++) {
		vec_push(&r->places,
			 ((struct place){ .base = NOWHERE, .has_other = !is_preserved(i) }));
		r->escaped_from[i] = r->pending_from[i] = INT64_MAX;
	}
	r->high.with.bits = r->sum_bits = 0;
}

static void begin_block(struct reader *r)
{
	resolve_pending_addresses(r, false);
	for (size_t i = 0; i < r->places.len; i++)
		r->places.at[i].now = (struct origin){ .place = (int)i };
	r->sum_bits = 0;
	r->last = SIZE_MAX;
}

static bool is_counter(const struct reader *r, int place)
{
	const struct place *p = &r->places.at[place == NOWHERE ? 0 : place];
	return place != NOWHERE && p->has_number && !p->has_other &&
	       (p->base == NOWHERE || p->at < r->escaped_from[p->base]);
}

static void end_function(struct reader *r, struct compared *out)
{
	resolve_pending_addresses(r, false);
	for (size_t i = 0; i < r->comparisons.len; i++) {
		const struct nondet_compared *with = &r->comparisons.at[i].with;
		bool is_known = is_counter(r, r->comparisons.at[i].place);
		for (size_t k = 0; k < out->list.len && !is_known; k++)
			is_known = out->list.at[k].value == with->value &&
				   out->list.at[k].bits == with->bits;
		if (!is_known)
			vec_push(&out->list, *with);
	}
}

static void read_function(struct reader *r, const struct code *code, uint64_t start, uint64_t end,
			  struct compared *out)
{
	struct addresses blocks = { 0 };
	struct sym_instruction in;
	size_t next = 0;
	code_blocks(code, start, end, &blocks);
	begin_function(r);
	for (uint64_t at = start; at < end; at += in.base.length) {
		while (next < blocks.list.len && blocks.list.at[next] <= at) {
			begin_block(r);
			next++;
		}
		if (code_decode(code, at, end, &in))
			read_instruction(r, &in);
		else
			in.base.length = 1;
	}
	end_function(r, out);
	vec_release(&blocks.list);
}

void compared_collect(const struct calls *calls, struct compared *out)
{
	struct reader r = { .calls = calls };
	for (size_t i = 1; i < calls->img->sections.len; i++) {
		struct code code;
		struct addresses starts = { 0 };
		if (!calls_covers_section(calls, i) ||
		    !code_of_section(&code, &calls->decoder, calls->img, i))
			continue;
		code_functions(&code, calls->img, &starts);
		for (size_t k = 0; k < starts.list.len; k++)
			read_function(&r, &code, starts.list.at[k],
				      k + 1 < starts.list.len ? starts.list.at[k + 1] : code.end,
				      out);
		vec_release(&starts.list);
	}
	vec_release(&r.places);
	vec_release(&r.comparisons);
}

void compared_release(struct compared *c)
{
	vec_release(&c->list);
}
