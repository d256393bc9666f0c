/* SPDX-License-Identifier: Apache-2.0 */
/* Types and constants first: what is found well there is relied on by the checks of functions. */
#include "ir/verify.h"

#include <string.h>

#include "ir/graph.h"
#include "ir/verify_inst.h"

static int refuse(struct err *err, const char *what, size_t number, const char *why)
{
	return err_set(err, ERR_FORMAT, "the program's code: %s %zu %s", what, number, why);
}

static const char *list_problem(const struct ir_module *m, const struct ir_const *c,
				const struct ir_type *t)
{
	bool is_struct = t->kind == IR_STRUCT;
	if (!is_struct && t->kind != IR_ARRAY && t->kind != IR_VECTOR)
		return "is a list, but its type has no elements";
	if (c->list.len != (is_struct ? t->fields.len : t->count))
		return "has another number of elements than its type";
	for (size_t i = 0; i < c->list.len; i++) {
		uint32_t type = is_struct ? t->fields.at[i].type : t->element;
		if (m->consts.at[c->list.at[i]].type != type)
			return "has an element of another type than its type says";
	}
	return NULL;
}

static const char *const_problem(const struct ir_module *m, const struct ir_const *c)
{
	if (c->type >= m->types.len || m->types.at[c->type].kind == IR_VOID)
		return "has no type";
	const struct ir_type *t = &m->types.at[c->type];
	bool is_word = t->kind == IR_PTR || (t->kind == IR_INT && t->bits == 64);
	switch (c->kind) {
	case IR_C_INT:
		if (t->kind == IR_INT && t->bits < 64 && c->low >> t->bits)
			return "is larger than its type";
		if (t->kind == IR_INT && t->bits > 64 && t->bits < 128 && c->high >> (t->bits - 64))
			return "is larger than its type";
		if (ir_is_scalar(t) ? c->high != 0 : t->kind != IR_INT && t->kind != IR_F80)
			return "is a number, but its type is not one of numbers";
		return t->kind == IR_F32 && c->low >> 32 ? "is larger than its type" : NULL;
	case IR_C_GLOBAL:
		return !is_word || c->index >= m->globals.len ? "is no address of a variable"
							      : NULL;
	case IR_C_FUNC:
		return !is_word || c->index >= m->funcs.len ? "is no address of a function" : NULL;
	case IR_C_BYTES:
		return t->kind != IR_ARRAY || m->types.at[t->element].size != 1 ||
				       t->count != c->bytes.len
			       ? "has another number of bytes than its type"
			       : NULL;
	case IR_C_LIST:
		return list_problem(m, c, t);
	case IR_C_ZERO:
	case IR_C_UNDEF:
		return NULL;
	}
	return NULL;
}

static int verify_data(const struct ir_module *m, struct err *err)
{
	for (size_t i = 0; i < m->consts.len; i++) {
		const char *problem = const_problem(m, &m->consts.at[i]);
		if (problem)
			return refuse(err, "constant", i, problem);
	}
	for (size_t i = 0; i < m->globals.len; i++) {
		const struct ir_global *g = &m->globals.at[i];
		if (g->type >= m->types.len)
			return refuse(err, "variable", i, "has no type");
		if (g->init != IR_NONE &&
		    (g->init >= m->consts.len || m->consts.at[g->init].type != g->type))
			return refuse(err, "variable", i, "has a value of another type");
		if (g->align & (g->align - 1) || g->align > 1 << 20)
			return refuse(err, "variable", i, "has an impossible alignment");
	}
	for (size_t i = 0; i < m->starts.len + m->finishes.len; i++) {
		uint32_t f =
			i < m->starts.len ? m->starts.at[i] : m->finishes.at[i - m->starts.len];
		if (f >= m->funcs.len)
			return refuse(err, "start or end function", i, "is no function");
	}
	return 0;
}

/* The instruction that assigns each register: its block and its position. */
struct assigned {
	uint32_t block, inst;
};

struct checker {
	const struct ir_module *m;
	const struct ir_func *f;
	struct ir_graph graph;
	uint32_t *dominators;
	bool *reachable;
	struct assigned *by; /* for each register */
	struct err *err;
};

static int refuse_inst(const struct checker *c, uint32_t block, uint32_t inst, const char *why)
{
	return err_set(c->err, ERR_FORMAT,
		       "the program's code: function %s, block %u, instruction %u (%s) %s",
		       c->f->name, block, inst - c->f->blocks.at[block].first,
		       ir_op_word((enum ir_op)c->f->insts.at[inst].op), why);
}

/* Operands in range and of their kinds; one terminator, at the end; each register assigned once. */
static const char *shape_problem(struct checker *c, uint32_t block, uint32_t inst)
{
	const struct ir_func *f = c->f;
	const struct ir_inst *i = &f->insts.at[inst];
	const uint32_t *v = ir_operands(f, i);
	bool is_last = inst + 1 == f->blocks.at[block].first + f->blocks.at[block].count;
	if (ir_is_terminator((enum ir_op)i->op) != is_last)
		return is_last ? "ends its block, but does not say where to go"
			       : "is not at the end of its block";
	const char *pattern = ir_op_operands((enum ir_op)i->op);
	if (!i->operands && *pattern && *pattern != '(')
		return "has too few operands";
	for (uint32_t k = 0; k < i->operands; k++) {
		switch (ir_operand_kind((enum ir_op)i->op, i->operands, k)) {
		case 'v':
			if ((v[k] & ~IR_CONST) >=
			    (v[k] & IR_CONST ? c->m->consts.len : f->registers.len))
				return "has an operand that does not exist";
			break;
		case 'b':
			if (v[k] >= f->blocks.len)
				return "names a block that does not exist";
			break;
		case 'n':
			break;
		default:
			return "has another number of operands than it needs";
		}
	}
	if (i->result == IR_NONE)
		return NULL;
	if (i->result >= f->registers.len || i->result < f->params.len ||
	    c->by[i->result].block != IR_NONE)
		return "assigns a register that is not its own";
	c->by[i->result] = (struct assigned){ block, inst };
	return NULL;
}

/* Whether an instruction's use of a register comes after its assignment on every path. */
static bool is_assigned(const struct checker *c, uint32_t v, uint32_t block, uint32_t inst)
{
	if (v & IR_CONST || v < c->f->params.len || !c->reachable[block])
		return true;
	struct assigned by = c->by[v];
	if (by.block == IR_NONE)
		return false;
	return by.block == block ? by.inst < inst : ir_dominates(c->dominators, by.block, block);
}

/* A phi has each predecessor once for each edge, with the same value for equal edges. */
static const char *phi_problem(const struct checker *c, uint32_t block, uint32_t inst)
{
	const struct ir_inst *i = &c->f->insts.at[inst];
	const uint32_t *v = ir_operands(c->f, i);
	const struct ir_edges *e = &c->graph.previous;
	if (inst > c->f->blocks.at[block].first && c->f->insts.at[inst - 1].op != IR_PHI)
		return "is not at the start of its block";
	if (block == 0 || i->operands / 2 != e->at.at[block + 1] - e->at.at[block])
		return "has another number of values than its block has predecessors";
	for (uint32_t k = 0; k < i->operands; k += 2) {
		uint32_t edges = 0, values = 0;
		for (uint32_t p = e->at.at[block]; p < e->at.at[block + 1]; p++)
			edges += e->to.at[p] == v[k];
		for (uint32_t other = 0; other < i->operands; other += 2) {
			values += v[other] == v[k];
			if (v[other] == v[k] && v[other + 1] != v[k + 1])
				return "has two values for one predecessor";
		}
		if (edges != values)
			return "has a value for a block that is no predecessor";
		if (!is_assigned(c, v[k + 1], v[k], UINT32_MAX))
			return "uses a register before it is assigned";
	}
	return NULL;
}

static const char *use_problem(const struct checker *c, uint32_t block, uint32_t inst)
{
	const struct ir_inst *i = &c->f->insts.at[inst];
	if (i->op == IR_PHI)
		return phi_problem(c, block, inst);
	for (uint32_t k = 0; k < i->operands; k++)
		if (ir_operand_kind((enum ir_op)i->op, i->operands, k) == 'v' &&
		    !is_assigned(c, ir_operands(c->f, i)[k], block, inst))
			return "uses a register before it is assigned";
	return NULL;
}

static int verify_body(struct checker *c)
{
	const struct ir_func *f = c->f;
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t b = 0; b < f->blocks.len; b++) {
			const struct ir_block *block = &f->blocks.at[b];
			for (uint32_t i = block->first; i < block->first + block->count; i++) {
				const char *why =
					pass ? use_problem(c, b, i) : shape_problem(c, b, i);
				if (!why && !pass)
					why = ir_inst_problem(c->m, f, &f->insts.at[i]);
				if (why)
					return refuse_inst(c, b, i, why);
			}
		}
		if (pass)
			break;
		ir_graph_of(&c->graph, f);
		c->dominators = ir_dominators(&c->graph);
		c->reachable = ir_reachable(&c->graph);
		if (c->graph.previous.at.at[1])
			return refuse(c->err,
				      "the entry of a function that has a jump to it, function",
				      (size_t)(f - c->m->funcs.at), "");
	}
	return 0;
}

static int verify_func(const struct ir_module *m, const struct ir_func *f, struct err *err)
{
	size_t number = (size_t)(f - m->funcs.at);
	if (f->returns >= m->types.len)
		return refuse(err, "function", number, "has no type of result");
	for (size_t i = 0; i < f->registers.len; i++)
		if (f->registers.at[i] >= m->types.len ||
		    m->types.at[f->registers.at[i]].kind == IR_VOID)
			return refuse(err, "function", number, "has a register without type");
	if (!f->is_defined)
		return 0;
	if (f->unit >= m->units.len || !f->blocks.len)
		return refuse(err, "function", number, "has no unit or no blocks");
	for (size_t b = 0; b < f->blocks.len; b++)
		if (!f->blocks.at[b].count)
			return refuse(err, "function", number, "has an empty block");
	struct checker c = { .m = m, .f = f, .err = err };
	c.by = mem_alloc((f->registers.len + 1) * sizeof(*c.by));
	for (size_t i = 0; i < f->registers.len; i++)
		c.by[i].block = IR_NONE;
	int rc = verify_body(&c);
	ir_graph_release(&c.graph);
	mem_free(c.dominators);
	mem_free(c.reachable);
	mem_free(c.by);
	return rc;
}

int ir_verify(const struct ir_module *m, struct err *err)
{
	int rc = verify_data(m, err);
	for (size_t i = 0; i < m->funcs.len && !rc; i++)
		rc = verify_func(m, &m->funcs.at[i], err);
	return rc;
}
