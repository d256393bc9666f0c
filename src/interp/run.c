/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that executes decoded instructions. */
#include "base/stop.h"
#include "interp/arithmetic.h"
#include "interp/schedule.h"

/* A stop is looked for, and steps are counted, once in this many instructions. */
#define SLICE 65536

bool thread_enter(struct machine *m, struct thread *t, struct function *f, uint32_t result)
{
	if (!f->is_decoded && !interp_decode(m, f))
		return false;
	struct frame fr = { .f = f, .result = result, .stack = t->stack };
	const struct frame *caller = t->frames.len ? &vec_last(&t->frames) : NULL;
	fr.r = caller ? caller->r + caller->f->slots : t->slots;
	if (fr.r + f->slots + 64 > t->slots + SLOTS) {
		machine_end(m, INTERP_FAILED, "the stack is full (recursion)");
		return false;
	}
	vec_push(&t->frames, fr);
	return true;
}

static bool leave(struct machine *m, struct thread *t, const struct code *c)
{
	struct frame *fr = &vec_last(&t->frames);
	const uint64_t *from =
		c->a & IR_CONST ? fr->f->consts.at + (c->a & ~IR_CONST) : fr->r + c->a;
	uint64_t value = c->b ? *from : 0;
	if (FAULT(INTERP_FRAME_STAYS_ALIVE))
		t->stack = fr->stack;
	if (t->stack != fr->stack)
		space_mark(m, t->stack, fr->stack - t->stack, false);
	t->stack = fr->stack;
	uint32_t result = fr->result;
	t->frames.len--;
	if (!t->frames.len) {
		thread_ends(m, t, value);
		return false;
	}
	struct frame *caller = &vec_last(&t->frames);
	if (result != IR_NONE)
		for (uint32_t i = 0; i < c->b; i++)
			caller->r[result + i] = from[i];
	return true;
}

static void follow(struct frame *fr, uint32_t number)
{
	const struct edge *e = &fr->f->edges.at[number];
	const struct move *m = fr->f->moves.at + e->first;
	uint64_t before[64], *saved = before;
	VEC(uint64_t) many = { 0 };
	uint32_t slots = 0;
	fr->pc = e->pc;
	if (e->count == 1 && m->slots == 1) {
		fr->r[m->to] =
			m->from & IR_CONST ? fr->f->consts.at[m->from & ~IR_CONST] : fr->r[m->from];
		return;
	}
	/* All phis of a block are assigned at once. */
	for (uint32_t i = 0; i < e->count; i++)
		slots += m[i].slots;
	if (slots > 64) {
		vec_grow_zeroed(&many, slots);
		saved = many.at;
	}
	slots = 0;
	for (uint32_t i = 0; i < e->count; slots += m[i++].slots)
		memcpy(saved + slots,
		       m[i].from & IR_CONST ? fr->f->consts.at + (m[i].from & ~IR_CONST)
					    : fr->r + m[i].from,
		       8 * m[i].slots);
	if (FAULT(INTERP_PHIS_ONE_BY_ONE)) {
		for (uint32_t i = 0; i < e->count; i++)
			memcpy(fr->r + m[i].to,
			       m[i].from & IR_CONST ? fr->f->consts.at + (m[i].from & ~IR_CONST)
						    : fr->r + m[i].from,
			       8 * m[i].slots);
		vec_release(&many);
		return;
	}
	slots = 0;
	for (uint32_t i = 0; i < e->count; slots += m[i++].slots)
		memcpy(fr->r + m[i].to, saved + slots, 8 * m[i].slots);
	vec_release(&many);
}

static void take_switch(struct frame *fr, const struct code *c)
{
	const uint32_t *v = fr->f->lists.at + c->a;
#define AT(x) ((x)&IR_CONST ? fr->f->consts.at[(x) & ~IR_CONST] : fr->r[x])
	uint64_t value = AT(v[0]);
	for (uint32_t k = 2; k < c->b; k += 2)
		if (AT(v[k]) == value) {
			follow(fr, v[k + 1]);
			return;
		}
	follow(fr, v[1]);
}

/* True if the thread goes on with the next instruction. */
static bool call_function(struct machine *m, struct thread *t, const struct code *c)
{
	struct frame *fr = &vec_last(&t->frames);
	const uint32_t *v = fr->f->lists.at + c->a;
	struct function *f = machine_function(m, AT(v[0]));
	uint32_t count = c->b - 1;
	if (!f) {
		machine_end(m, INTERP_FAILED, "a call of something that is no function");
		return false;
	}
	const struct ir_inst *inst = &fr->f->ir->insts.at[c->c];
	const uint32_t *operands = ir_operands(fr->f->ir, inst);
	struct call call = {
		.m = m, .t = t, .f = f->ir, .kind = f->kind, .inst = inst, .count = count
	};
	uint64_t args[64], result[8] = { 0 };
	uint32_t types[64];
	if (count > 64) {
		machine_end(m, INTERP_REFUSED, "a call with more than 64 arguments");
		return false;
	}
	for (uint32_t k = 0; k < count; k++) {
		types[k] = ir_type_of(m->m, fr->f->ir, operands[k + 1]);
		const uint64_t *at = v[k + 1] & IR_CONST ? fr->f->consts.at + (v[k + 1] & ~IR_CONST)
							 : fr->r + v[k + 1];
		args[k] = ir_is_scalar(type_of(m, types[k])) ? *at : (uint64_t)(uintptr_t)at;
	}
	call.args = args;
	call.types = types;
	call.result = result;
	if (f->ir->is_defined) {
		size_t params = f->ir->params.len;
		if (count < params || (count > params && !f->ir->is_variadic)) {
			machine_end(m, INTERP_FAILED, "a call of %s with %u arguments", f->ir->name,
				    count);
			return false;
		}
		uint64_t stack = t->stack;
		uint64_t varargs =
			f->ir->is_variadic ? format_arguments(&call, (uint32_t)params) : 0;
		if (!thread_enter(m, t, f, c->dst))
			return false;
		struct frame *to = &vec_last(&t->frames);
		to->varargs = varargs;
		to->stack = stack;
		for (size_t k = 0; k < params; k++) {
			const struct ir_type *type = type_of(m, f->ir->params.at[k]);
			if (ir_is_scalar(type))
				to->r[f->slot_of[k]] = args[k];
			else
				memcpy(to->r + f->slot_of[k], (void *)(uintptr_t)args[k],
				       type->size);
		}
		return true;
	}
	if (!f->builtin) {
		machine_end(m, INTERP_REFUSED, "the function %s is not modelled", f->ir->name);
		return false;
	}
	if (type_of(m, f->ir->returns)->size > sizeof(result)) {
		machine_end(m, INTERP_REFUSED, "the result of %s", f->ir->name);
		return false;
	}
	switch (f->builtin(&call)) {
	case OUTCOME_DONE:
		fr = &vec_last(&t->frames);
		if (c->dst != IR_NONE && ir_is_scalar(type_of(m, f->ir->returns)))
			fr->r[c->dst] = result[0] &
					low_bits((unsigned)type_of(m, f->ir->returns)->size * 8);
		else if (c->dst != IR_NONE)
			memcpy(fr->r + c->dst, result, type_of(m, f->ir->returns)->size);
		return !t->is_ended;
	case OUTCOME_CALL:
		return true;
	case OUTCOME_WAIT:
		fr->pc--;
		return false;
	default:
		return false;
	}
}

static bool divide(struct machine *m, const struct code *c, uint64_t a, uint64_t b, uint64_t *out)
{
	bool is_signed = c->op == IR_SDIV || c->op == IR_SREM;
	int64_t x = sign_extend(a, c->bits), y = sign_extend(b, c->bits);
	if (!b) {
		machine_end(m, INTERP_FAILED, "a division by zero");
		return false;
	}
	if (is_signed && y == -1 && x == sign_extend(1ull << (c->bits - 1), c->bits)) {
		machine_end(m, INTERP_FAILED, "a division that overflows");
		return false;
	}
	switch (c->op) {
	case IR_UDIV:
		*out = a / b;
		break;
	case IR_UREM:
		*out = a % b;
		break;
	case IR_SDIV:
		*out = (uint64_t)(x / y);
		break;
	default:
		*out = (uint64_t)(x % y);
		break;
	}
	*out &= low_bits(c->bits);
	return true;
}

static bool allot_stack(struct machine *m, struct thread *t, const struct code *c, uint64_t count,
			uint64_t *out)
{
	uint64_t size = type_of(m, c->c)->size, align = (uint64_t)c->imm;
	uint64_t bytes, limit = t->stack_end - STACK_SIZE + 4096;
	if (__builtin_mul_overflow(size, count, &bytes) || bytes > STACK_SIZE ||
	    t->stack - bytes - align - 1 < limit) {
		machine_end(m, INTERP_FAILED, "the stack is full");
		return false;
	}
	t->stack = (t->stack - bytes - 1) & ~(align - 1);
	space_mark(m, t->stack, bytes, true);
	*out = t->stack;
	return true;
}

static bool read_modify_write(struct machine *m, const struct code *c, uint64_t at, uint64_t v,
			      uint64_t *out)
{
	unsigned size = c->bits / 8;
	if (!space_check(m, at, size, true))
		return false;
	*out = 0;
	memcpy(out, (void *)at, size);
	uint64_t value = number_modify(c, *out, v) & low_bits(c->bits);
	memcpy((void *)at, &value, size);
	return true;
}

/* Steps are counted in slices; true if the execution goes on. */
static bool count_steps(struct machine *m, uint64_t steps)
{
	m->result->steps += steps;
	if (m->input->steps && m->result->steps >= m->input->steps) {
		machine_end(m, INTERP_LIMIT, "%llu instructions were executed",
			    (unsigned long long)m->result->steps);
		return false;
	}
	if (!stop_is_requested())
		return true;
	m->rc = err_set(m->err, ERR_STOPPED, "stopped after %llu instructions",
			(unsigned long long)m->result->steps);
	m->is_ending = true;
	return false;
}

static bool run_memory(struct machine *m, const struct code *c, uint64_t *r, uint64_t a, uint64_t b,
		       const struct frame *fr)
{
	uint64_t at = c->op >= CODE_STORE1 && c->op <= CODE_STORE8 ? b : a, value = 0;
	uint64_t size = (uint64_t)c->imm;
	switch (c->op) {
	case CODE_LOAD_BYTES:
		if (!space_check(m, a, size, false))
			return false;
		if (c->bits) {
			memcpy(&value, (void *)a, size);
			r[c->dst] = value & low_bits(c->bits);
		} else {
			memcpy(r + c->dst, (void *)a, size);
		}
		return true;
	case CODE_STORE_BYTES:
		if (!space_check(m, b, size, true))
			return false;
		memcpy((void *)b,
		       c->a & IR_CONST ? fr->f->consts.at + (c->a & ~IR_CONST) : r + c->a, size);
		return true;
	default:
		/* a load or store whose check has failed */
		return space_check(m, at, size, c->op >= CODE_STORE1);
	}
}

/* What is not executed by the loop itself. */
static bool run_rare(struct machine *m, struct thread *t, const struct code *c)
{
	struct frame *fr = &vec_last(&t->frames);
	uint64_t *r = fr->r;
	switch (c->op) {
	case IR_ALLOCA:
		return allot_stack(m, t, c, AT(c->a), &r[c->dst]);
	case IR_RMW:
		if (schedule_switch(m, t)) {
			fr->pc--;
			return false;
		}
		return read_modify_write(m, c, AT(c->a), AT(c->b), &r[c->dst]);
	case IR_FENCE:
		return true;
	case CODE_TLS:
		r[c->dst] = thread_local_address(m, t, c->a) + (uint64_t)c->imm;
		return true;
	case CODE_WIDE:
		if (fr->f->ir->insts.at[c->c].op == IR_CMPXCHG && schedule_switch(m, t)) {
			fr->pc--;
			return false;
		}
		return wide_run(m, fr, &fr->f->ir->insts.at[c->c]);
	case IR_UNREACHABLE:
		machine_end(m, INTERP_FAILED, "code that must not be reached");
		return false;
	case CODE_LOAD_BYTES:
	case CODE_STORE_BYTES:
		return run_memory(m, c, r, AT(c->a), c->op == CODE_STORE_BYTES ? AT(c->b) : 0, fr);
	default:
		machine_end(m, INTERP_REFUSED, "the instruction %s on these types",
			    ir_op_word((enum ir_op)c->op));
		return false;
	}
}
#undef AT

#define V(x) ((x)&IR_CONST ? k[(x) & ~IR_CONST] : r[x])
#define LOAD(type)                                                                           \
	do {                                                                                 \
		uint64_t at = V(c->a);                                                       \
		if (c->sub && schedule_switch(m, t)) {                                       \
			fr->pc--;                                                            \
			goto out;                                                            \
		}                                                                            \
		if (!space_is_valid(m, at, sizeof(type)) && !run_memory(m, c, r, at, 0, fr)) \
			goto out;                                                            \
		r[c->dst] = *(const type *)(uintptr_t)at & low_bits(c->bits);                \
	} while (0)
#define STORE(type)                                                                   \
	do {                                                                          \
		uint64_t at = V(c->b);                                                \
		if (c->sub && schedule_switch(m, t)) {                                \
			fr->pc--;                                                     \
			goto out;                                                     \
		}                                                                     \
		if ((at < m->readonly_end || !space_is_valid(m, at, sizeof(type))) && \
		    !run_memory(m, c, r, 0, at, fr))                                  \
			goto out;                                                     \
		*(type *)(uintptr_t)at = (type)V(c->a);                               \
	} while (0)
#define RESULT(value)                                    \
	do {                                             \
		uint64_t whole = (value);                \
		r[c->dst] = whole & low_bits(c->bits);   \
		if (FAULT(INTERP_NARROW_RESULT_NOT_CUT)) \
			r[c->dst] = whole;               \
	} while (0)

/*
 * Runs until another thread runs, this one waits, or the execution ends.  The switch is flat: a
 * case for each operation.
 */
void thread_run(struct machine *m, struct thread *t)
{
	uint64_t steps = 0, value;
	struct frame *fr;
	uint64_t *r;
	const uint64_t *k;
reload:
	if (m->is_ending || t->is_ended || !t->frames.len)
		goto out;
	fr = &vec_last(&t->frames);
	r = fr->r;
	k = fr->f->consts.at;
	for (;;) {
		const struct code *c = &fr->f->code.at[fr->pc++];
		if (++steps == SLICE) {
			steps = 0;
			if (!count_steps(m, SLICE))
				return;
		}
		/* clang-format off */
		switch (c->op) {
		case IR_ADD: RESULT(V(c->a) + V(c->b)); break;
		case IR_SUB: RESULT(V(c->a) - V(c->b)); break;
		case IR_MUL: RESULT(V(c->a) * V(c->b)); break;
		case IR_AND: r[c->dst] = V(c->a) & V(c->b); break;
		case IR_OR: r[c->dst] = V(c->a) | V(c->b); break;
		case IR_XOR: r[c->dst] = V(c->a) ^ V(c->b); break;
		case IR_UDIV ... IR_SREM:
			if (!divide(m, c, V(c->a), V(c->b), &r[c->dst]))
				goto out;
			break;
		case IR_SHL ... IR_ASHR:
			RESULT(number_shift(c->op, V(c->a), V(c->b), c->bits));
			break;
		case IR_FADD ... IR_FREM:
			r[c->dst] = number_float_operation(c, V(c->a), V(c->b));
			break;
		case IR_FNEG: r[c->dst] = number_float_operation(c, V(c->a), 0); break;
		case IR_ICMP: r[c->dst] = number_compare(c->sub, V(c->a), V(c->b), c->bits); break;
		case IR_FCMP: r[c->dst] = number_float_compare(c, V(c->a), V(c->b)); break;
		case IR_ZEXT:
		case IR_BITS: r[c->dst] = V(c->a); break;
		case IR_TRUNC: r[c->dst] = V(c->a) & low_bits(c->sub); break;
		case IR_SEXT ... IR_SITOFP: r[c->dst] = number_convert(c, V(c->a)); break;
		case IR_SELECT: value = V(c->a) ? V(c->b) : V(c->c); r[c->dst] = value; break;
		case CODE_LOAD1: LOAD(uint8_t); break;
		case CODE_LOAD2: LOAD(uint16_t); break;
		case CODE_LOAD4: LOAD(uint32_t); break;
		case CODE_LOAD8: LOAD(uint64_t); break;
		case CODE_STORE1: STORE(uint8_t); break;
		case CODE_STORE2: STORE(uint16_t); break;
		case CODE_STORE4: STORE(uint32_t); break;
		case CODE_STORE8: STORE(uint64_t); break;
		case CODE_OFFSET1:
			value = (uint64_t)sign_extend(V(c->b), c->bits) * c->c;
			r[c->dst] = V(c->a) + value + (uint64_t)c->imm;
			break;
		case CODE_ADD_IMM: r[c->dst] = V(c->a) + (uint64_t)c->imm; break;
		case IR_JUMP: follow(fr, c->a); break;
		case IR_BRANCH: follow(fr, V(c->a) ? c->b : c->c); break;
		case CODE_SWITCH: take_switch(fr, c); break;
		case IR_RET:
			if (!leave(m, t, c))
				goto out;
			goto reload;
		case CODE_CALL:
			if (!call_function(m, t, c))
				goto out;
			goto reload;
		default:
			if (!run_rare(m, t, c))
				goto out;
		}
		/* clang-format on */
	}
out:
	m->result->steps += steps;
}
