/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds of known loops that failed and were taken back (rt/await_loop.c): which entries of the
 * list they made.  Nothing of that was done, as far as the reduction is concerned.
 */
#include "explore/execution/internal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define NO_THREAD UINT64_MAX

static bool is_take_back(const struct wire_op *op)
{
	return op->kind == OP_AWAIT && op->flags & OPF_TAKEN_BACK;
}

static bool has_any(const struct execution *x)
{
	OPS_EACH (op, x->ops, x->ops_count)
		if (is_take_back(op))
			return true;
	return false;
}

/* The entries [from, to) of a thread; of one that belongs to no operation the owner is not known. */
static void mark(struct moves *h, uint64_t thread, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (h->owners.at[i] == thread)
			h->taken_back.at[i] = true;
}

void moves_find_taken_back(struct moves *h, const struct execution *x)
{
	h->taken_back.len = h->owners.len = 0;
	if (!has_any(x))
		return;
	vec_reserve(&h->taken_back, x->ops_count);
	vec_reserve(&h->owners, x->ops_count);
	memset(h->taken_back.at, 0, x->ops_count * sizeof(*h->taken_back.at));
	h->taken_back.len = h->owners.len = x->ops_count;
	uint64_t owner = NO_THREAD;
	OPS_EACH (op, x->ops, x->ops_count) {
		size_t at = (size_t)(op - x->ops), next = at + 1 + op_data(op);
		if (op->kind == OP_STEP)
			owner = op->flags & OPF_FLUSH ? NO_THREAD : op->object;
		for (size_t i = at; i < next && i < x->ops_count; i++)
			h->owners.at[i] = owner;
		/* The await itself, and the step in front of it, stay. */
		size_t step = at;
		while (is_take_back(op) && step > 0 && x->ops[step].kind != OP_STEP)
			step--;
		if (is_take_back(op) && op->value < step)
			mark(h, owner, op->value, step);
	}
}

/* ---- what is known of rounds ---- */

uint64_t place_key(const struct wire_op *look)
{
	return hash_mix(hash_mix(3, look->object), look->size);
}

uint64_t round_key(uint64_t state, const struct wire_op *look, uint64_t value)
{
	return hash_mix(hash_mix(place_key(look), state), value);
}

const struct wire_op *one_look(const struct opset *s)
{
	const struct wire_op *look = NULL;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct wire_op *op = &s->ops[i];
		if (op->flags & EVF_STACK)
			continue;
		if (look || op->kind != EV_READ || op->size > 8)
			return NULL;
		look = op;
	}
	return look;
}

bool moves_have_writer(const struct moves *h, const struct wire_op *read, size_t moves)
{
	struct footprint f = { read->object, read->object + read->size, SPACE_MEMORY, USE_READ };
	for (size_t i = 0; i < moves; i++) {
		const struct opset *s = h->moves.at[i].branch.ops;
		for (uint32_t k = 0; k < s->count; k++)
			if (footprints_depend(&s->prints[k], &f))
				return true;
	}
	return false;
}

void moves_learn_failure(struct moves *h, uint64_t state, const struct opset *seen, size_t moves)
{
	const struct wire_op *look = one_look(seen);
	bool is_new;
	if (!look || !state)
		return;
	map_put(&h->failed_rounds, round_key(state, look, look->value), &is_new);
	if (!moves_have_writer(h, look, moves))
		*map_put(&h->first_values, place_key(look), &is_new) = look->value;
}
