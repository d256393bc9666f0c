// SPDX-License-Identifier: Apache-2.0
/*
 * Candidates for lost signals.  A wait for a condition variable that begins after the last signal never ends.
 * The question: all signals have happened, the thread is about to wait, and there is nobody left who might do
 * something else: the other threads have ended, or are about to wait for the end of this one.
 */
#include "oracle/from_trace.h"
#include "predict/finder.h"

/*
 * All other threads have ended, or are about to wait for the end of this one: nobody is left who might give
 * another signal.  False if the process ends without waiting for it.
 */
static bool leave_nobody(const struct finder *f, op_id wait, struct candidate *c)
{
	const struct history *h = f->h;
	uint32_t waiter = h->ops.at[wait].thread;
	for (uint32_t t = 0; t < h->threads; t++) {
		uint32_t length = t == waiter ? 0 : history_length(h, t), p = 0;
		for (; p < length; p++) {
			const struct index_event *e = finder_event(f, history_op(h, t, p));
			op_id end = e->kind == EV_JOIN && e->link != EV_NONE ? history_op_of(h, e->link)
									     : OP_NONE;
			if (e->kind == EV_PROCESS_END)
				return false;
			if (end != OP_NONE && h->ops.at[end].thread == waiter)
				break;
		}
		if (p < length)
			vec_push(&c->pending, history_op(h, t, p));
		else if (length)
			vec_push(&c->include, history_op(h, t, length - 1));
	}
	return true;
}

/* Proved, if nobody is left; or, if it will be tried, after all signals that there were. */
static void add_lost_signal(struct finder *f, op_id wait, const op_id *signals, size_t count)
{
	loc_id place = finder_place(f, wait);
	struct candidate new = {0};
	size_t others = 0;
	for (size_t k = 0; k < count; k++)
		others += f->h->ops.at[signals[k]].thread != f->h->ops.at[wait].thread;
	bool fits = others && (f->o->is_generous || leave_nobody(f, wait, &new));
	struct candidate *c =
		fits ? finder_add(f, CLAIM_LOST_SIGNAL, finder_key(CLAIM_LOST_SIGNAL, &place, 1, false))
		     : NULL;
	for (size_t k = 0; c && k < count; k++)
		if (f->h->ops.at[signals[k]].thread != f->h->ops.at[wait].thread)
			vec_push(&new.include, signals[k]);
	if (!c) {
		vec_release(&new.include);
		vec_release(&new.pending);
		return;
	}
	c->include = new.include;
	c->pending = new.pending;
	vec_push(&c->ops, wait);
	vec_push(&c->ops, vec_last(&c->include));
	vec_push(&c->pending, wait);
}

static void find_lost_signal(struct finder *f, const struct index_list *l)
{
	VEC(op_id) signals = {0}, waits = {0};
	for (uint64_t i = 0; i < l->count && l->mode == SYNC_COND; i++) {
		const struct index_event *e = &f->x->events[f->x->object_events[l->first + i]];
		op_id op = history_op_of(f->h, f->x->object_events[l->first + i]);
		if (op != OP_NONE && (e->kind == EV_SIGNAL || e->kind == EV_BROADCAST))
			vec_push(&signals, op);
		else if (op != OP_NONE && e->kind == EV_WAIT && !f->h->ops.at[op].gives_up)
			vec_push(&waits, op);
	}
	for (size_t i = 0; i < waits.len && signals.len; i++)
		add_lost_signal(f, waits.at[i], signals.at, signals.len);
	vec_release(&signals);
	vec_release(&waits);
}

void find_lost_signals(struct finder *f)
{
	for (uint64_t i = 0; i < f->x->object_count; i++)
		find_lost_signal(f, &f->x->objects[i]);
}
