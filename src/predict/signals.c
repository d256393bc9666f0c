/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates for lost signals.  A wait for a condition variable that begins after the last signal
 * never ends. The question: all signals have happened, the thread is about to wait, and no
 * thread is left that might do something else: the other threads have ended, or are about to wait
 * for the end of this one.
 */
#include "oracle/from_trace.h"
#include "predict/finder.h"

/* The question whether no thread is left that could signal a thread; the same for all its waits. */
struct rest {
	VEC(op_id) include, pending;
	/* false: the process ends without waiting for the thread */
	bool is_made, has_others;
	/* how many operations of the thread must have happened for the others to get there: a
	 * wait among these cannot be the last thing that it is about to do */
	uint32_t needed;
};

/* Where threads wait for the end of another, and whether one ends the process. */
struct joins {
	struct map first; /* thread and the one it joins, to the join */
	uint32_t end;	  /* thread that ends the process; UINT32_MAX: none does */
};

static uint64_t join_key(uint32_t thread, uint32_t joined)
{
	return (uint64_t)thread << 32 | joined;
}

static void find_joins(struct finder *f, struct joins *j)
{
	j->end = UINT32_MAX;
	for (op_id id = 0; id < f->h->ops.len && !finder_is_over(f); id++) {
		uint32_t joined = finder_joined(f, id), thread = f->h->ops.at[id].thread;
		bool is_new;
		if (finder_event(f, id)->kind == EV_PROCESS_END)
			j->end = thread;
		if (joined == UINT32_MAX)
			continue;
		uint64_t *first = map_put(&j->first, join_key(thread, joined), &is_new);
		if (is_new)
			*first = id;
	}
}

/* All other threads have ended, or are about to wait for the end of this one. */
static void leave_nobody(const struct finder *f, const struct joins *j, uint32_t waiter,
			 struct rest *r)
{
	const struct history *h = f->h;
	r->is_made = r->has_others = true;
	for (uint32_t t = 0; t < h->threads; t++) {
		uint32_t length = t == waiter ? 0 : history_length(h, t);
		const uint64_t *join = map_get(&j->first, join_key(t, waiter));
		if (length && join)
			vec_push(&r->pending, (op_id)*join);
		else if (length)
			vec_push(&r->include, history_op(h, t, length - 1));
		r->has_others &= !length || join || t != j->end;
	}
}

/* What of each waiter the others need, by orders that hold in every execution. */
static void find_needed(struct finder *f, struct rest *rests)
{
	const struct history *h = f->h;
	struct must must;
	struct map waiters = { 0 }; /* operation to a waiter plus one, chained by `next` */
	VEC(struct {
		uint32_t waiter;
		uint64_t next;
	})
	chain = { 0 };
	for (uint32_t w = 0; w < h->threads; w++)
		for (size_t i = 0; i < rests[w].include.len + rests[w].pending.len; i++) {
			bool is_last = i < rests[w].include.len;
			op_id op = is_last ? rests[w].include.at[i]
					   : rests[w].pending.at[i - rests[w].include.len];
			if (!is_last && !h->ops.at[op].own)
				continue;
			if (!is_last)
				op = history_op(h, h->ops.at[op].thread, h->ops.at[op].own - 1);
			uint64_t *first = map_put(&waiters, op, NULL);
			vec_reserve(&chain, 1);
			chain.at[chain.len].waiter = w;
			chain.at[chain.len++].next = *first;
			*first = chain.len;
		}
	must_init(&must, h);
	for (op_id id = 0; id < h->ops.len && !finder_is_over(f); id++) {
		const uint32_t *clock = must_step(&must, id);
		const uint64_t *first = map_get(&waiters, id);
		for (uint64_t i = first ? *first : 0; i; i = chain.at[i - 1].next) {
			uint32_t w = chain.at[i - 1].waiter;
			if (rests[w].needed < clock[w])
				rests[w].needed = clock[w];
		}
	}
	must_release(&must);
	map_release(&waiters);
	vec_release(&chain);
}

/* The last signal of each thread but one: with it all before it have happened. */
static void include_signals(const struct finder *f, const op_id *last, uint32_t waiter,
			    struct candidate *c)
{
	op_id latest = OP_NONE;
	for (uint32_t t = 0; t < f->h->threads; t++) {
		if (t == waiter || last[t] == OP_NONE)
			continue;
		vec_push(&c->include, last[t]);
		if (latest == OP_NONE || last[t] > latest)
			latest = last[t];
	}
	vec_push(&c->ops, latest);
}

/*
 * Proved, if no other thread is left; or, if it will be tried, after all signals that there were.
 * The later the wait, the less does the rest of the program need what comes after it: those are
 * asked first.
 */
static void add_lost_signal(struct finder *f, op_id wait, const op_id *last, const struct rest *r)
{
	loc_id place = finder_place(f, wait);
	uint32_t waiter = f->h->ops.at[wait].thread;
	if ((!r->has_others && !f->o->is_generous) || f->h->ops.at[wait].own < r->needed)
		return;
	struct candidate *c = finder_add(f, FINDING_LOST_SIGNAL,
					 finder_key(FINDING_LOST_SIGNAL, &place, 1, false));
	if (!c)
		return;
	c->distance = history_length(f->h, waiter) - f->h->ops.at[wait].own;
	for (size_t i = 0; i < r->include.len; i++)
		vec_push(&c->include, r->include.at[i]);
	for (size_t i = 0; i < r->pending.len; i++)
		vec_push(&c->pending, r->pending.at[i]);
	vec_push(&c->ops, wait);
	include_signals(f, last, waiter, c);
	vec_push(&c->pending, wait);
}

/* Waits, the last one first, for a condition variable that other threads signal. */
static void find_lost_signal(struct finder *f, const struct index_list *l, op_id *last,
			     struct rest *rests)
{
	VEC(op_id) waits = { 0 };
	uint32_t signallers = 0, signaller = 0;
	for (uint32_t t = 0; t < f->h->threads; t++)
		last[t] = OP_NONE;
	for (uint64_t i = 0; i < l->count && !finder_is_over(f); i++) {
		const struct index_event *e = &f->x->events[f->x->object_events[l->first + i]];
		op_id op = history_op_of(f->h, f->x->object_events[l->first + i]);
		uint32_t thread = op == OP_NONE ? 0 : f->h->ops.at[op].thread;
		if (op != OP_NONE && (e->kind == EV_SIGNAL || e->kind == EV_BROADCAST)) {
			signallers += last[thread] == OP_NONE;
			signaller = thread;
			last[thread] = op;
		} else if (op != OP_NONE && e->kind == EV_WAIT && !f->h->ops.at[op].gives_up) {
			vec_push(&waits, op);
		}
	}
	for (size_t i = waits.len; i-- > 0 && !finder_is_over(f);) {
		uint32_t thread = f->h->ops.at[waits.at[i]].thread;
		if (signallers > 1 || (signallers && signaller != thread))
			add_lost_signal(f, waits.at[i], last, &rests[thread]);
	}
	vec_release(&waits);
}

/* What is asked about each thread that waits for a condition variable; nothing if it will be tried.
 */
static void make_rests(struct finder *f, struct rest *rests)
{
	struct joins joins = { 0 };
	bool has_any = false;
	if (f->o->is_generous)
		return;
	find_joins(f, &joins);
	for (uint64_t i = 0; i < f->x->object_count; i++) {
		const struct index_list *l = &f->x->objects[i];
		for (uint64_t k = 0; l->mode == SYNC_COND && k < l->count && !finder_is_over(f);
		     k++) {
			const struct index_event *e =
				&f->x->events[f->x->object_events[l->first + k]];
			uint32_t thread = f->number_of[e->thread];
			if (e->kind != EV_WAIT || thread == UINT32_MAX || rests[thread].is_made)
				continue;
			leave_nobody(f, &joins, thread, &rests[thread]);
			has_any = true;
		}
	}
	if (has_any)
		find_needed(f, rests);
	map_release(&joins.first);
}

void find_lost_signals(struct finder *f)
{
	op_id *last = mem_alloc((f->h->threads + 1ull) * sizeof(*last));
	struct rest *rests = mem_zero(f->h->threads + 1ull, sizeof(*rests));
	make_rests(f, rests);
	for (uint64_t i = 0; i < f->x->object_count && !finder_is_over(f); i++)
		if (f->x->objects[i].mode == SYNC_COND)
			find_lost_signal(f, &f->x->objects[i], last, rests);
	for (uint32_t t = 0; t < f->h->threads; t++) {
		vec_release(&rests[t].include);
		vec_release(&rests[t].pending);
	}
	mem_free(rests);
	mem_free(last);
}
