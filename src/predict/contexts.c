/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See contexts.h.  Two reasons exclude an operation b between a and p of another thread, which
 * has done a and is about to do p:
 *
 *   locks    One section of a's thread contains a and p: it is open at p.  b is in a section of
 *            the same lock, and one of the two is not shared.  Then both sections do not overlap.
 *            That of b cannot be the later one, since the other one is still open; so it is the
 *            earlier one, and b comes before a.
 *   orders   p, which has not happened, must precede b, and with it every later operation of b's
 *            thread; or b must precede a, and with it every earlier one.
 *
 * Nothing is concluded from what is not kept.
 */
#include "predict/contexts.h"

#include "base/hash.h"

#define CLOCKS_MAX (1ull << 24) /* entries of all clocks together */

static uint32_t add_context(struct contexts *c, const struct held *held, uint32_t thread)
{
	size_t count = held->threads[thread].acquires.len;
	struct context x = { .first = (uint32_t)c->acquires.len, .count = (uint32_t)count };
	for (size_t i = 0; i < count; i++) {
		op_id acquire = held->threads[thread].acquires.at[i];
		const struct op *o = &c->h->ops.at[acquire];
		x.locks += hash_mix(7, (uint64_t)o->lock << 1 | o->is_shared);
		vec_push(&c->acquires, acquire);
	}
	if (!count)
		return 0;
	vec_push(&c->list, x);
	return (uint32_t)c->list.len - 1;
}

void contexts_init(struct contexts *c, struct finder *f)
{
	struct must must;
	struct held held;
	const struct history *h = f->h;
	*c = (struct contexts){ .h = h };
	c->of_op = mem_zero(h->ops.len + 1, sizeof(*c->of_op));
	if (h->ops.len * (uint64_t)h->threads <= CLOCKS_MAX)
		c->clocks = mem_zero(h->ops.len * h->threads + 1, sizeof(*c->clocks));
	uint32_t *now = mem_zero(h->threads + 1ull, sizeof(*now));
	vec_add(&c->list);
	must_init(&must, h);
	held_init(&held, h);
	for (op_id id = 0; id < h->ops.len && !finder_is_over(f); id++) {
		const struct op *o = &h->ops.at[id];
		const uint32_t *clock = must_step(&must, id);
		held_step(&held, id);
		if (o->kind == OP_ACQUIRE || o->kind == OP_RELEASE)
			now[o->thread] = add_context(c, &held, o->thread);
		c->of_op[id] = now[o->thread];
		if (c->clocks)
			memcpy(c->clocks + id * (size_t)h->threads, clock,
			       h->threads * sizeof(*clock));
	}
	mem_free(now);
	must_release(&must);
	held_release(&held);
}

void contexts_release(struct contexts *c)
{
	mem_free(c->of_op);
	mem_free(c->clocks);
	vec_release(&c->acquires);
	vec_release(&c->list);
	*c = (struct contexts){ 0 };
}

/* Whether b is in a section that excludes the one that the acquire begins. */
static bool is_kept_out(const struct contexts *c, const struct op *acquire, op_id b)
{
	const struct context *x = context_of(c, b);
	for (uint32_t i = 0; i < x->count; i++) {
		const struct op *other = &c->h->ops.at[c->acquires.at[x->first + i]];
		if (other->lock == acquire->lock && !(other->is_shared && acquire->is_shared))
			return true;
	}
	return false;
}

bool contexts_exclude_by_locks(const struct contexts *c, op_id first, op_id between, op_id pending)
{
	const struct history *h = c->h;
	const struct context *x = context_of(c, first);
	for (uint32_t i = 0; i < x->count; i++) {
		const struct op *acquire = &h->ops.at[c->acquires.at[x->first + i]];
		bool is_open = acquire->match == OP_NONE ||
			       h->ops.at[acquire->match].own >= h->ops.at[pending].own;
		if (is_open && is_kept_out(c, acquire, between))
			return true;
	}
	return false;
}

bool contexts_must_precede(const struct contexts *c, op_id before, op_id after)
{
	const struct op *o = &c->h->ops.at[before];
	return c->clocks && o->own < c->clocks[after * (size_t)c->h->threads + o->thread];
}
