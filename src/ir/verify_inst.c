/* SPDX-License-Identifier: Apache-2.0 */
/* Types of instructions. */
#include "ir/verify_inst.h"

struct context {
	const struct ir_module *m;
	const struct ir_func *f;
	const struct ir_inst *i;
	const uint32_t *v;
};

static const struct ir_type *type(const struct context *c, uint32_t operand)
{
	return &c->m->types.at[ir_type_of(c->m, c->f, c->v[operand])];
}

static bool same(const struct context *c, uint32_t a, uint32_t b)
{
	return ir_type_of(c->m, c->f, c->v[a]) == ir_type_of(c->m, c->f, c->v[b]);
}

static bool is_result(const struct context *c, uint32_t operand)
{
	return c->i->type == ir_type_of(c->m, c->f, c->v[operand]);
}

static bool is_float(const struct ir_type *t)
{
	return t->kind == IR_F32 || t->kind == IR_F64 || t->kind == IR_F80;
}

static bool is_bit(const struct ir_type *t)
{
	return t->kind == IR_INT && t->bits == 1;
}

static bool is_index(const struct ir_type *t)
{
	return t->kind == IR_INT && t->bits <= 64;
}

static bool is_conversion(enum ir_op op, const struct ir_type *from, const struct ir_type *to)
{
	bool ints = from->kind == IR_INT && to->kind == IR_INT;
	bool floats = is_float(from) && is_float(to);
	switch (op) {
	case IR_TRUNC:
		return ints && to->bits < from->bits;
	case IR_ZEXT:
	case IR_SEXT:
		return ints && to->bits > from->bits;
	case IR_FPTRUNC:
		return floats && to->kind < from->kind;
	case IR_FPEXT:
		return floats && to->kind > from->kind;
	case IR_FPTOUI:
	case IR_FPTOSI:
		return is_float(from) && to->kind == IR_INT;
	case IR_UITOFP:
	case IR_SITOFP:
		return from->kind == IR_INT && is_float(to);
	default:
		return ir_store_size(from) == ir_store_size(to) && from->kind != IR_VOID;
	}
}

/* Whether a part of type t at an offset lies inside an aggregate. */
static bool is_part(const struct ir_type *whole, const struct ir_type *t, int64_t offset)
{
	return (whole->kind == IR_STRUCT || whole->kind == IR_ARRAY) && offset >= 0 &&
	       t->size <= whole->size && (uint64_t)offset <= whole->size - t->size;
}

static bool is_element(const struct context *c, uint32_t vector, uint32_t element)
{
	return type(c, vector)->kind == IR_VECTOR && type(c, vector)->element == element;
}

static bool memory_fits(const struct context *c, const struct ir_type *result)
{
	const struct ir_type *value;
	switch (c->i->op) {
	case IR_ALLOCA:
		return is_index(type(c, 0)) && result && c->i->imm > 0 && c->i->imm <= 1 << 20 &&
		       !(c->i->imm & (c->i->imm - 1));
	case IR_LOAD:
		return type(c, 0)->kind == IR_PTR && result && result->kind != IR_VOID;
	case IR_STORE:
		return type(c, 1)->kind == IR_PTR;
	case IR_OFFSET:
		for (uint32_t k = 1; k < c->i->operands; k += 2)
			if (!is_index(type(c, k)))
				return false;
		return type(c, 0)->kind == IR_PTR && result && result->kind == IR_PTR;
	case IR_RMW:
		value = type(c, 1);
		return type(c, 0)->kind == IR_PTR && is_result(c, 1) && ir_is_scalar(value) &&
		       c->i->sub <= IR_RMW_FSUB && (c->i->sub < IR_RMW_FADD || is_float(value));
	case IR_CMPXCHG:
		return type(c, 0)->kind == IR_PTR && same(c, 1, 2) && ir_is_scalar(type(c, 1)) &&
		       result && result->kind == IR_STRUCT && result->fields.len == 2 &&
		       result->fields.at[0].type == ir_type_of(c->m, c->f, c->v[1]) &&
		       is_bit(&c->m->types.at[result->fields.at[1].type]);
	default:
		return true; /* a fence */
	}
}

static bool aggregate_fits(const struct context *c, const struct ir_type *result)
{
	switch (c->i->op) {
	case IR_EXTRACT:
		return result && is_part(type(c, 0), result, c->i->imm);
	case IR_INSERT:
		return is_result(c, 0) && is_part(type(c, 0), type(c, 1), c->i->imm);
	case IR_ELEMENT:
		return is_element(c, 0, c->i->type) && is_index(type(c, 1));
	case IR_REPLACE:
		return is_result(c, 0) && is_element(c, 0, ir_type_of(c->m, c->f, c->v[1])) &&
		       is_index(type(c, 2));
	default:
		if (!same(c, 0, 1) || !result || result->kind != IR_VECTOR ||
		    !is_element(c, 0, result->element) || result->count != c->i->operands - 2)
			return false;
		for (uint32_t k = 2; k < c->i->operands; k++)
			if (c->v[k] >= 2 * type(c, 0)->count && c->v[k] != IR_ANY_ELEMENT)
				return false;
		return true;
	}
}

static bool flow_fits(const struct context *c, const struct ir_type *result)
{
	const struct ir_inst *i = c->i;
	switch (i->op) {
	case IR_CALL:
		return type(c, 0)->kind == IR_PTR;
	case IR_RET:
		if (c->m->types.at[c->f->returns].kind == IR_VOID)
			return !i->operands;
		return i->operands == 1 && ir_type_of(c->m, c->f, c->v[0]) == c->f->returns;
	case IR_BRANCH:
		return is_bit(type(c, 0));
	case IR_SWITCH:
		for (uint32_t k = 2; k < i->operands; k += 2)
			if (!same(c, 0, k) || !(c->v[k] & IR_CONST) ||
			    c->m->consts.at[c->v[k] & ~IR_CONST].kind != IR_C_INT)
				return false;
		return is_index(type(c, 0));
	case IR_PHI:
		for (uint32_t k = 1; k < i->operands; k += 2)
			if (!is_result(c, k))
				return false;
		return i->operands >= 2 && result && result->kind != IR_VOID;
	default:
		return true;
	}
}

static bool fits(const struct context *c, const struct ir_type *result)
{
	enum ir_op op = (enum ir_op)c->i->op;
	if (op <= IR_XOR)
		return type(c, 0)->kind == IR_INT && same(c, 0, 1) && is_result(c, 0);
	if (op <= IR_FREM)
		return is_float(type(c, 0)) && same(c, 0, 1) && is_result(c, 0);
	if (op == IR_FNEG)
		return is_float(type(c, 0)) && is_result(c, 0);
	if (op == IR_ICMP)
		return (type(c, 0)->kind == IR_INT || type(c, 0)->kind == IR_PTR) &&
		       same(c, 0, 1) && result && is_bit(result) && c->i->sub <= IR_SLE;
	if (op == IR_FCMP)
		return is_float(type(c, 0)) && same(c, 0, 1) && result && is_bit(result) &&
		       c->i->sub <= IR_F_TRUE;
	if (op <= IR_BITS)
		return result && is_conversion(op, type(c, 0), result);
	if (op == IR_SELECT)
		return is_bit(type(c, 0)) && same(c, 1, 2) && is_result(c, 1);
	if (op >= IR_ALLOCA && op <= IR_FENCE)
		return memory_fits(c, result);
	if (op >= IR_EXTRACT && op <= IR_SHUFFLE)
		return aggregate_fits(c, result);
	return flow_fits(c, result);
}

const char *ir_inst_problem(const struct ir_module *m, const struct ir_func *f,
			    const struct ir_inst *i)
{
	struct context c = { m, f, i, ir_operands(f, i) };
	if (i->type != IR_NONE && i->type >= m->types.len)
		return "has a type that does not exist";
	const struct ir_type *result = i->type == IR_NONE ? NULL : &m->types.at[i->type];
	bool has_value = result && result->kind != IR_VOID;
	bool wants_result = has_value && !ir_is_terminator((enum ir_op)i->op) &&
			    i->op != IR_STORE && i->op != IR_FENCE;
	if (wants_result != (i->result != IR_NONE))
		return "has a result without type, or a type without result";
	if (i->result != IR_NONE) {
		const struct ir_type *own = &m->types.at[f->registers.at[i->result]];
		if (i->op == IR_ALLOCA ? own->kind != IR_PTR
				       : f->registers.at[i->result] != i->type)
			return "assigns a register of another type";
	}
	return fits(&c, result) ? NULL : "has operands or a result of unfitting types";
}
