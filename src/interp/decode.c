/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From IR to code that runs fast: operands are slots of the frame, kinds and widths are part of
 * the operation, phis are moves on edges.  A function is decoded when it is first called.
 */
#include "interp/machine.h"

struct decoder {
	struct machine *m;
	struct function *f;
	const struct ir_func *ir;
	struct map const_slots; /* constant number to slot + 1 */
	uint32_t *pc_of;	/* of each block */
	bool is_bad;
};

static uint32_t slots_of(const struct machine *m, uint32_t type)
{
	const struct ir_type *t = type_of(m, type);
	return ir_is_scalar(t) ? 1 : (uint32_t)((t->size + 7) / 8) + 1;
}

static void push(struct decoder *d, struct code c, uint32_t inst)
{
	vec_push(&d->f->code, c);
	vec_push(&d->f->inst_of, inst);
}

static uint32_t const_slot(struct decoder *d, uint32_t number)
{
	bool is_new;
	uint64_t *slot = map_put(&d->const_slots, number, &is_new);
	if (is_new) {
		uint32_t at = (uint32_t)d->f->consts.len;
		vec_grow_zeroed(&d->f->consts,
				at + slots_of(d->m, d->m->m->consts.at[number].type));
		d->is_bad |= !machine_store_const(d->m, number, d->f->consts.at + at);
		*slot = at;
	}
	return (uint32_t)*slot | IR_CONST;
}

static bool is_thread_local(const struct decoder *d, uint32_t v)
{
	const struct ir_const *c = v & IR_CONST ? &d->m->m->consts.at[v & ~IR_CONST] : NULL;
	return c && c->kind == IR_C_GLOBAL && d->m->m->globals.at[c->index].is_tls;
}

/* The slot of an operand.  The address of a thread-local variable is computed before it is used. */
static uint32_t slot(struct decoder *d, uint32_t v, uint32_t inst)
{
	if (!(v & IR_CONST))
		return d->f->slot_of[v];
	if (!is_thread_local(d, v))
		return const_slot(d, v & ~IR_CONST);
	const struct ir_const *c = &d->m->m->consts.at[v & ~IR_CONST];
	struct code code = { .op = CODE_TLS, .dst = d->f->slots++, .a = c->index };
	code.imm = (int64_t)c->low;
	push(d, code, inst);
	return code.dst;
}

static bool is_number(const struct decoder *d, uint32_t v)
{
	return ir_is_scalar(type_of(d->m, ir_type_of(d->m->m, d->ir, v)));
}

static uint32_t edge(struct decoder *d, uint32_t from, uint32_t to)
{
	struct edge e = { .pc = to, .first = (uint32_t)d->f->moves.len };
	const struct ir_block *b = &d->ir->blocks.at[to];
	for (uint32_t i = b->first; i < b->first + b->count; i++) {
		const struct ir_inst *phi = &d->ir->insts.at[i];
		const uint32_t *v = ir_operands(d->ir, phi);
		if (phi->op != IR_PHI)
			break;
		for (uint32_t k = 0; k < phi->operands; k += 2) {
			if (v[k] != from)
				continue;
			d->is_bad |= is_thread_local(d, v[k + 1]);
			struct move move = { d->f->slot_of[phi->result],
					     v[k + 1] & IR_CONST
						     ? const_slot(d, v[k + 1] & ~IR_CONST)
						     : d->f->slot_of[v[k + 1]],
					     slots_of(d->m, phi->type) };
			vec_push(&d->f->moves, move);
			break;
		}
	}
	e.count = (uint32_t)d->f->moves.len - e.first;
	vec_push(&d->f->edges, e);
	return (uint32_t)d->f->edges.len - 1;
}

/* Operands of a call or switch, as they are. */
static uint32_t list(struct decoder *d, const struct ir_inst *i, uint32_t inst, uint32_t block)
{
	uint32_t values[256];
	VEC(uint32_t) more = { 0 };
	uint32_t *at = values;
	if (i->operands > 256) {
		vec_grow_zeroed(&more, i->operands);
		at = more.at;
	}
	for (uint32_t k = 0; k < i->operands; k++) {
		uint32_t v = ir_operands(d->ir, i)[k];
		at[k] = ir_operand_kind((enum ir_op)i->op, i->operands, k) == 'b'
				? edge(d, block, v)
				: slot(d, v, inst);
	}
	uint32_t first = (uint32_t)d->f->lists.len;
	for (uint32_t k = 0; k < i->operands; k++)
		vec_push(&d->f->lists, at[k]);
	vec_release(&more);
	return first;
}

static void decode_memory(struct decoder *d, const struct ir_inst *i, uint32_t inst)
{
	const uint32_t *v = ir_operands(d->ir, i);
	bool is_load = i->op == IR_LOAD;
	uint32_t type = is_load ? i->type : ir_type_of(d->m->m, d->ir, v[0]);
	const struct ir_type *t = type_of(d->m, type);
	uint64_t size = ir_store_size(t);
	struct code c = { .imm = (int64_t)size };
	unsigned log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
	if (ir_is_scalar(t) && (size & (size - 1)) == 0)
		c.op = (uint16_t)((is_load ? CODE_LOAD1 : CODE_STORE1) + log);
	else
		c.op = is_load ? CODE_LOAD_BYTES : CODE_STORE_BYTES;
	c.bits = ir_is_scalar(t) ? (uint8_t)(t->kind == IR_INT ? t->bits : size * 8) : 0;
	c.sub = i->order != IR_PLAIN;
	c.a = slot(d, v[0], inst);
	if (is_load)
		c.dst = d->f->slot_of[i->result];
	else
		c.b = slot(d, v[1], inst);
	push(d, c, inst);
}

static void decode_offset(struct decoder *d, const struct ir_inst *i, uint32_t inst)
{
	const uint32_t *v = ir_operands(d->ir, i);
	uint32_t base = slot(d, v[0], inst), dst = d->f->slot_of[i->result];
	if (i->operands == 1) {
		push(d, (struct code){ .op = CODE_ADD_IMM, .dst = dst, .a = base, .imm = i->imm },
		     inst);
		return;
	}
	for (uint32_t k = 1; k < i->operands; k += 2) {
		struct code c = { .op = CODE_OFFSET1, .dst = dst, .a = base, .c = v[k + 1] };
		c.bits = (uint8_t)type_of(d->m, ir_type_of(d->m->m, d->ir, v[k]))->bits;
		c.b = slot(d, v[k], inst);
		c.imm = k == 1 ? i->imm : 0;
		push(d, c, inst);
		base = dst;
	}
}

static void decode_flow(struct decoder *d, const struct ir_inst *i, uint32_t inst, uint32_t block)
{
	const uint32_t *v = ir_operands(d->ir, i);
	struct code c = { .op = i->op };
	switch (i->op) {
	case IR_JUMP:
		c.a = edge(d, block, v[0]);
		break;
	case IR_BRANCH:
		c.a = slot(d, v[0], inst);
		c.b = edge(d, block, v[1]);
		c.c = edge(d, block, v[2]);
		break;
	case IR_SWITCH:
		c.op = CODE_SWITCH;
		c.a = list(d, i, inst, block);
		c.b = i->operands;
		break;
	case IR_RET:
		c.b = i->operands ? slots_of(d->m, d->ir->returns) : 0;
		c.a = i->operands ? slot(d, v[0], inst) : 0;
		break;
	case IR_CALL:
		c.op = CODE_CALL;
		c.a = list(d, i, inst, block);
		c.b = i->operands;
		c.c = inst;
		c.dst = i->result == IR_NONE ? IR_NONE : d->f->slot_of[i->result];
		break;
	default:
		break;
	}
	push(d, c, inst);
}

/* Whether all values of an instruction are numbers. */
static bool is_narrow(const struct decoder *d, const struct ir_inst *i)
{
	const uint32_t *v = ir_operands(d->ir, i);
	if (i->type != IR_NONE && !ir_is_scalar(type_of(d->m, i->type)))
		return false;
	for (uint32_t k = 0; k < i->operands; k++)
		if (ir_operand_kind((enum ir_op)i->op, i->operands, k) == 'v' &&
		    !is_number(d, v[k]))
			return false;
	return true;
}

static unsigned width(const struct decoder *d, uint32_t type)
{
	const struct ir_type *t = type_of(d->m, type);
	return t->kind == IR_INT ? t->bits : (unsigned)t->size * 8;
}

static void decode_plain(struct decoder *d, const struct ir_inst *i, uint32_t inst)
{
	const uint32_t *v = ir_operands(d->ir, i);
	struct code c = { .op = i->op, .sub = i->sub, .imm = i->imm };
	/* A register may be narrower than 64 bits, but slots hold the value with zeros above. */
	uint32_t *to[] = { &c.a, &c.b, &c.c };
	for (uint32_t k = 0; k < i->operands && k < 3; k++)
		*to[k] = slot(d, v[k], inst);
	if (i->result != IR_NONE)
		c.dst = d->f->slot_of[i->result];
	if (i->op == IR_ALLOCA)
		c.c = i->type;
	else if (i->op >= IR_FADD && i->op <= IR_FNEG)
		c.bits = (uint8_t)width(d, i->type);
	else if (i->operands)
		c.bits = (uint8_t)width(d, ir_type_of(d->m->m, d->ir, v[0]));
	if (i->op == IR_RMW)
		c.bits = (uint8_t)width(d, i->type);
	if (i->op >= IR_TRUNC && i->op <= IR_BITS)
		c.sub = (uint8_t)width(d, i->type); /* of the result; `bits` is the operand's */
	push(d, c, inst);
}

static void decode_inst(struct decoder *d, uint32_t inst, uint32_t block)
{
	const struct ir_inst *i = &d->ir->insts.at[inst];
	if (i->op == IR_PHI)
		return;
	if (i->op == IR_CALL || ir_is_terminator((enum ir_op)i->op)) {
		decode_flow(d, i, inst, block);
	} else if (i->op == IR_LOAD || i->op == IR_STORE) {
		decode_memory(d, i, inst);
	} else if (i->op == IR_OFFSET) {
		decode_offset(d, i, inst);
	} else if (i->op == IR_ALLOCA || i->op == IR_FENCE || is_narrow(d, i)) {
		decode_plain(d, i, inst);
	} else {
		/* wide.c finds its operands by itself, but constants need their slots. */
		for (uint32_t k = 0; k < i->operands; k++)
			if (ir_operand_kind((enum ir_op)i->op, i->operands, k) == 'v')
				d->is_bad |= is_thread_local(d, ir_operands(d->ir, i)[k]);
		push(d, (struct code){ .op = CODE_WIDE, .c = inst }, inst);
	}
}

bool interp_decode(struct machine *m, struct function *f)
{
	struct decoder d = { .m = m, .f = f, .ir = f->ir };
	f->is_decoded = true;
	f->slot_of = mem_zero(f->ir->registers.len + 1, sizeof(*f->slot_of));
	for (size_t i = 0; i < f->ir->registers.len; i++) {
		f->slot_of[i] = f->slots;
		f->slots += slots_of(m, f->ir->registers.at[i]);
	}
	d.pc_of = mem_zero(f->ir->blocks.len + 1, sizeof(*d.pc_of));
	for (uint32_t b = 0; b < f->ir->blocks.len; b++) {
		const struct ir_block *block = &f->ir->blocks.at[b];
		d.pc_of[b] = (uint32_t)f->code.len;
		for (uint32_t i = block->first; i < block->first + block->count; i++)
			decode_inst(&d, i, b);
	}
	for (size_t i = 0; i < f->edges.len; i++)
		f->edges.at[i].pc = d.pc_of[f->edges.at[i].pc];
	mem_free(d.pc_of);
	map_release(&d.const_slots);
	if (d.is_bad)
		machine_end(m, INTERP_REFUSED,
			    "the address of a thread-local variable as a constant, in %s",
			    f->ir->name);
	return !d.is_bad;
}
