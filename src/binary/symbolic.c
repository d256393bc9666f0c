/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbolic execution of straight-line code; see symbolic.h.  Instructions that compilers use for
 * addresses (mov, lea, add, sub, shift, imul, push, pop, leave) are modelled exactly.  The result
 * of any other instruction is a hash of its inputs, or a fresh unknown if an input is not
 * modelled (flags, vector registers, parts of registers) or the result is narrower than 32 bits.
 */
#include "binary/symbolic.h"

#include <string.h>

#include "base/hash.h"

#define THREAD_BASE \
	0x7d5f6b3a19c4e827ull /* the unknown that stands for the base of the fs segment */

enum { RSP = 4, RBP = 5 };

static const struct sym_value zero;

static struct sym_value make_fresh(struct sym_state *s)
{
	return (struct sym_value){ .unknown = hash_mix(s->where, ++s->serial) | 1 };
}

static struct sym_value number(int64_t n)
{
	return (struct sym_value){ .offset = n };
}

static struct sym_value sum(struct sym_value a, struct sym_value b)
{
	return (struct sym_value){
		.unknown = a.unknown + b.unknown,
		.offset = (int64_t)((uint64_t)a.offset + (uint64_t)b.offset),
		.frame = a.frame + b.frame,
	};
}

static struct sym_value product(struct sym_value a, int64_t factor)
{
	return (struct sym_value){
		.unknown = a.unknown * (uint64_t)factor,
		.offset = (int64_t)((uint64_t)a.offset * (uint64_t)factor),
		.frame = a.frame * factor,
	};
}

static uint64_t hash_value(uint64_t h, struct sym_value v)
{
	return hash_mix(hash_mix(h, v.unknown), (uint64_t)v.offset);
}

/* The low 32 bits, zero-extended. */
static struct sym_value low_half(struct sym_value v)
{
	if (!v.unknown)
		return number((int64_t)(uint32_t)v.offset);
	return (struct sym_value){ .unknown = hash_value(0x4c6f773332ull, v) | 1 };
}

void sym_reset(struct sym_state *s, uint64_t where)
{
	s->where = hash_mix(where, 0x5265736574ull);
	s->serial = 0;
	for (int i = 0; i < 16; i++)
		s->reg[i] = make_fresh(s);
	s->reg[RSP].frame = 1;
	s->reg[RBP].frame = 1; /* instrumented code keeps frame pointers */
	s->store_count = 0;
	s->memory = make_fresh(s).unknown;
}

static int register_index(ZydisRegister reg)
{
	ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	return ZydisRegisterGetClass(wide) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(wide) : -1;
}

struct sym_value sym_register(const struct sym_state *s, ZydisRegister reg)
{
	int i = register_index(reg);
	return i < 0 ? zero : s->reg[i];
}

void sym_after_call(struct sym_state *s, uint64_t where, bool is_hook)
{
	static const int clobbered[] = { 0, 1, 2, 6, 7, 8, 9, 10, 11 };
	s->where = where;
	s->serial = 0;
	for (size_t i = 0; i < sizeof(clobbered) / sizeof(*clobbered); i++)
		s->reg[clobbered[i]] = make_fresh(s);
	if (is_hook)
		return;
	unsigned kept = 0;
	for (unsigned i = 0; i < s->store_count; i++)
		if (s->stores[i].address.frame)
			s->stores[kept++] = s->stores[i];
	s->store_count = kept;
	s->memory = make_fresh(s).unknown;
}

enum sym_relation sym_compare(const struct sym_value *a, uint64_t a_size, const struct sym_value *b,
			      uint64_t b_size)
{
	if (a->unknown == b->unknown) {
		uint64_t distance = (uint64_t)b->offset - (uint64_t)a->offset;
		return distance < a_size || -distance < b_size ? SYM_OVERLAP : SYM_DISJOINT;
	}
	bool a_known = !a->unknown || a->unknown == THREAD_BASE,
	     b_known = !b->unknown || b->unknown == THREAD_BASE;
	if (a_known && b_known)
		return SYM_DISJOINT;
	if (!a->frame == !b->frame)
		return SYM_UNRELATED;
	return a_known || b_known ? SYM_DISJOINT : SYM_SPILL;
}

static struct sym_value address_of(const struct sym_state *s, const struct sym_instruction *in,
				   const ZydisDecodedOperand *op)
{
	struct sym_value a = number(op->mem.disp.has_displacement ? op->mem.disp.value : 0);
	if (op->mem.base == ZYDIS_REGISTER_RIP)
		a = sum(a, number((int64_t)(in->address + in->base.length)));
	else if (op->mem.base != ZYDIS_REGISTER_NONE)
		a = sum(a, sym_register(s, op->mem.base));
	if (op->mem.index != ZYDIS_REGISTER_NONE)
		a = sum(a, product(sym_register(s, op->mem.index), op->mem.scale));
	if (op->mem.segment == ZYDIS_REGISTER_FS)
		a.unknown += THREAD_BASE;
	return a;
}

static void remove_store(struct sym_state *s, unsigned i)
{
	memmove(&s->stores[i], &s->stores[i + 1], sizeof(*s->stores) * (s->store_count - i - 1));
	s->store_count--;
}

/* Evict a store from a full table: preferably one outside the frame, since those are reloaded
 * less often. */
static void evict_store(struct sym_state *s)
{
	unsigned victim = 0;
	for (unsigned i = s->store_count; i--;)
		if (!s->stores[i].address.frame)
			victim = i;
	remove_store(s, victim);
	/* a load from there must not see an older value */
	s->memory = make_fresh(s).unknown;
}

static void add_store(struct sym_state *s, struct sym_value address, uint64_t size,
		      struct sym_value value)
{
	for (unsigned i = s->store_count; i--;) {
		const struct sym_store *st = &s->stores[i];
		if (st->size == size && st->address.unknown == address.unknown &&
		    st->address.offset == address.offset)
			remove_store(s, i);
	}
	if (s->store_count == SYM_STORES)
		evict_store(s);
	s->stores[s->store_count++] = (struct sym_store){
		.address = address, .value = value, .size = size, .id = make_fresh(s).unknown
	};
}

static struct sym_value load(const struct sym_state *s, struct sym_value address, uint64_t size)
{
	if (address.unknown == THREAD_BASE && !address.offset && size == 8)
		return address; /* the first word of the thread block is its own address */
	uint64_t version = s->memory;
	bool is_constant = !address.unknown && (uint64_t)address.offset >= s->constant_from &&
			   (uint64_t)address.offset < s->constant_to;
	for (unsigned i = s->store_count; i-- && !is_constant;) {
		const struct sym_store *st = &s->stores[i];
		enum sym_relation relation = sym_compare(&address, size, &st->address, st->size);
		if (relation == SYM_DISJOINT || relation == SYM_SPILL)
			continue;
		bool is_same = relation == SYM_OVERLAP && st->address.offset == address.offset &&
			       st->size == size;
		if (is_same)
			return st->value;
		version = st->id;
		break;
	}
	if (is_constant)
		version = 0;
	uint64_t h = hash_mix(hash_value(0x4c6f6164ull, address), size);
	return (struct sym_value){ .unknown = hash_mix(h, version) | 1 };
}

/* Value of an operand that is read; false if it is not modelled. */
static bool read_operand(const struct sym_state *s, const struct sym_instruction *in,
			 const ZydisDecodedOperand *op, struct sym_value *v)
{
	switch (op->type) {
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		*v = number(op->imm.value.s);
		return true;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		*v = load(s, address_of(s, in, op), op->size / 8);
		return true;
	case ZYDIS_OPERAND_TYPE_REGISTER:
		if (register_index(op->reg.value) < 0 || op->size < 32)
			return false;
		*v = sym_register(s, op->reg.value);
		if (op->size == 32)
			*v = low_half(*v);
		return true;
	default:
		return false;
	}
}

/* The result of an instruction that is modelled exactly; false for all others. */
static bool exact_result(const struct sym_state *s, const struct sym_instruction *in,
			 struct sym_value *out)
{
	const ZydisDecodedOperand *op = in->operands;
	struct sym_value a, b;
	switch (in->base.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		return read_operand(s, in, &op[1], out);
	case ZYDIS_MNEMONIC_LEA:
		*out = address_of(s, in, &op[1]);
		return true;
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_SUB:
		if (op[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    op[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    op[0].reg.value == op[1].reg.value) {
			*out = zero;
			return true;
		}
		if (in->base.mnemonic == ZYDIS_MNEMONIC_XOR || op[0].size != 64 ||
		    !read_operand(s, in, &op[0], &a) || !read_operand(s, in, &op[1], &b))
			return false;
		*out = sum(a, product(b, -1));
		return true;
	case ZYDIS_MNEMONIC_ADD:
		if (op[0].size != 64 || !read_operand(s, in, &op[0], &a) ||
		    !read_operand(s, in, &op[1], &b))
			return false;
		*out = sum(a, b);
		return true;
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		if (op[0].size != 64 || !read_operand(s, in, &op[0], &a))
			return false;
		*out = sum(a, number(in->base.mnemonic == ZYDIS_MNEMONIC_INC ? 1 : -1));
		return true;
	case ZYDIS_MNEMONIC_SHL:
		if (op[0].size != 64 || op[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
		    !read_operand(s, in, &op[0], &a))
			return false;
		*out = product(a, (int64_t)(1ull << (op[1].imm.value.u & 63)));
		return true;
	case ZYDIS_MNEMONIC_IMUL:
		if (op[0].size != 64 || in->base.operand_count_visible != 3 ||
		    !read_operand(s, in, &op[1], &a))
			return false;
		*out = product(a, op[2].imm.value.s);
		return true;
	default:
		return false;
	}
}

/* A hash of all inputs, or a fresh unknown if one of them is not modelled. */
static struct sym_value hashed_result(struct sym_state *s, const struct sym_instruction *in)
{
	uint64_t h = hash_mix(0x4f70ull, in->base.mnemonic);
	int64_t frame = 0;
	for (unsigned i = 0; i < in->base.operand_count; i++) {
		const ZydisDecodedOperand *op = &in->operands[i];
		if (!(op->actions & ZYDIS_OPERAND_ACTION_MASK_READ))
			continue;
		struct sym_value v;
		if (!read_operand(s, in, op, &v))
			return make_fresh(s);
		h = hash_mix(hash_value(h, v), op->size);
		frame |= v.frame; /* an aligned stack pointer is still a frame address */
	}
	bool keeps_frame = in->base.mnemonic == ZYDIS_MNEMONIC_AND && frame;
	return (struct sym_value){ .unknown = h | 1, .frame = keeps_frame };
}

static void write_register(struct sym_state *s, ZydisRegister reg, unsigned bits,
			   struct sym_value v)
{
	int i = register_index(reg);
	if (i < 0)
		return;
	s->reg[i] = bits == 64 ? v : bits == 32 ? low_half(v) : make_fresh(s);
}

static void note_store(struct sym_state *s, struct sym_effect *effect, struct sym_value address,
		       uint64_t size, struct sym_value value)
{
	add_store(s, address, size, value);
	if (effect->store_count < 2) {
		effect->stores[effect->store_count].address = address;
		effect->stores[effect->store_count++].size = size;
	}
}

/* push, pop and leave: their operands are implicit and the order of their effects matters. */
static bool step_stack(struct sym_state *s, const struct sym_instruction *in,
		       struct sym_effect *effect)
{
	struct sym_value v;
	switch (in->base.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		if (!read_operand(s, in, &in->operands[0], &v))
			v = make_fresh(s);
		s->reg[RSP] = sum(s->reg[RSP], number(-8));
		note_store(s, effect, s->reg[RSP], 8, v);
		return true;
	case ZYDIS_MNEMONIC_LEAVE:
		s->reg[RSP] = s->reg[RBP];
		/* fall through */
	case ZYDIS_MNEMONIC_POP:
		v = load(s, s->reg[RSP], 8);
		s->reg[RSP] = sum(s->reg[RSP], number(8));
		if (in->base.mnemonic == ZYDIS_MNEMONIC_LEAVE) {
			v.frame = 1;
			s->reg[RBP] = v;
		} else if (in->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
			int reg = register_index(in->operands[0].reg.value);
			v.frame = reg == RBP ? 1 : v.frame;
			write_register(s, in->operands[0].reg.value, in->operands[0].size, v);
		}
		return true;
	default:
		return false;
	}
}

void sym_step(struct sym_state *s, const struct sym_instruction *in, struct sym_effect *effect)
{
	effect->store_count = 0;
	s->where = in->address;
	s->serial = 0;
	if (step_stack(s, in, effect))
		return;
	struct sym_value v = zero;
	bool is_exact = exact_result(s, in, &v);
	if (!is_exact)
		v = hashed_result(s, in);
	bool repeats = in->base.attributes &
		       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
	/* Addresses of stores are formed before registers change. */
	for (unsigned i = 0; i < in->base.operand_count; i++) {
		const ZydisDecodedOperand *op = &in->operands[i];
		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		uint64_t size = repeats ? 1ull << 40 : op->size / 8;
		note_store(s, effect, address_of(s, in, op), size, repeats ? make_fresh(s) : v);
	}
	for (unsigned i = 0; i < in->base.operand_count; i++) {
		const ZydisDecodedOperand *op = &in->operands[i];
		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		/* The first operand gets the result; others (the high half of a product) become
		 * unknown. */
		struct sym_value result = i == 0 && !repeats ? v : make_fresh(s);
		write_register(s, op->reg.value, op->size, result);
	}
}

static bool is_equal(struct sym_value a, struct sym_value b)
{
	return a.unknown == b.unknown && a.offset == b.offset;
}

static bool has_same_memory(const struct sym_state *a, const struct sym_state *b)
{
	if (a->memory != b->memory || a->store_count != b->store_count)
		return false;
	for (unsigned i = 0; i < a->store_count; i++)
		if (a->stores[i].id != b->stores[i].id ||
		    !is_equal(a->stores[i].value, b->stores[i].value))
			return false;
	return true;
}

bool sym_join(struct sym_state *into, const struct sym_state *from, uint64_t where)
{
	bool changed = false;
	struct sym_state place = { .where = hash_mix(where, 0x4a6f696eull) };
	const struct sym_state before = *into;
	for (int i = 0; i < 16; i++) {
		struct sym_value merged = make_fresh(&place);
		if (is_equal(into->reg[i], from->reg[i]) || is_equal(into->reg[i], merged))
			continue;
		merged.frame = into->reg[i].frame || from->reg[i].frame;
		into->reg[i] = merged;
		changed = true;
	}
	if (has_same_memory(&before, from))
		return changed;
	/* A store to the frame is kept if a load from there gives the stored value in both states.
	 */
	into->store_count = 0;
	for (unsigned i = 0; i < before.store_count; i++) {
		const struct sym_store *st = &before.stores[i];
		if (st->address.frame &&
		    is_equal(load(&before, st->address, st->size), st->value) &&
		    is_equal(load(from, st->address, st->size), st->value))
			into->stores[into->store_count++] = *st;
	}
	into->memory = make_fresh(&place).unknown;
	return changed || into->memory != before.memory || into->store_count != before.store_count;
}
