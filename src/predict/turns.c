/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans, and the recorded run: which step of the program each event of the trace is.  The
 * switches of the trace say how many hooks each thread passed; where a thread waits after fewer,
 * counting goes on from there. What the program then lists is compared with the events of each
 * thread, in their order.
 */
#include "predict/turns.h"

#include <stdio.h>
#include <string.h>

#include "trace/trace.h"
#include "wire/kinds.h"

#define PAGE_MASK 0xfffu
#define LIBRARIES 0x700000000000ull /* where the system puts them, above everything else */
#define CORRECTIONS_MAX 50	    /* of the number of hooks */
#define PASSED_MAX 4		    /* events that the list of a run may lack in one place */
#define SLEEPS_MAX 200		    /* that one plan may have */

void turns_release(struct turns *t)
{
	vec_release(&t->list);
	vec_release(&t->last);
}

void turns_add(struct turns *t, uint32_t thread, uint64_t step, bool goes_on)
{
	while (t->last.len <= thread)
		vec_push(&t->last, STEP_UNKNOWN);
	t->last.at[thread] = step;
	if (t->list.len && vec_last(&t->list).thread == thread && !goes_on) {
		if (vec_last(&t->list).hook < step)
			vec_last(&t->list).hook = step;
		return;
	}
	vec_push(&t->list, ((struct wire_turn){ thread, TURN_STEP, step }));
}

void turns_add_event(const struct confirmer *c, struct turns *t, const struct index_event *e,
		     uint64_t step)
{
	uint32_t thread = c->number_of[e->thread];
	bool is_same_step = thread < t->last.len && t->last.at[thread] == step;
	/*
	 * A thread that is woken at a condition variable takes its mutex again in the same step,
	 * and continues when the mutex is free.
	 */
	if (e->kind == EV_WAKE && e->mode == SYNC_COND)
		return;
	if (e->kind == EV_TIMEOUT && !is_same_step)
		turns_add(t, thread, step, false); /* its request, which is not granted */
	bool ends_wait = e->kind == EV_WAKE || e->kind == EV_TIMEOUT || e->kind == EV_BARRIER_OUT ||
			 (e->kind == EV_ACQUIRE && is_same_step);
	turns_add(t, thread, step, ends_wait);
}

/*
 * The step in which the list of an execution ends, if its thread waits there with a deadline;
 * false if it does not.
 */
static bool ends_in_sleep(const struct execution *run, uint32_t *thread, uint64_t *step)
{
	bool is_asleep = false;
	OPS_EACH (op, run->ops, run->ops_count) {
		if (op->kind == OP_STEP) {
			*thread = (uint32_t)op->object;
			*step = op->value;
		}
		is_asleep = op->kind == OP_BLOCKED && op->flags & OPF_TIMED;
	}
	return is_asleep;
}

struct plan turns_plan(const struct wire_turn *turns, size_t count, const uint32_t *choices,
		       size_t choices_count)
{
	/* After the turns threads are picked at random.  That is fair to all, so a program does
	 * not spin to the limit of steps. */
	return (struct plan){ .turns = turns,
			      .turns_count = count,
			      .choices = choices,
			      .choices_count = choices_count,
			      .free_run = FREE_RUN_RANDOM,
			      .seed = 1 };
}

int turns_run(struct confirmer *c, struct turns *turns, const uint32_t *choices,
	      size_t choices_count, struct execution *run, struct err *err)
{
	for (unsigned tries = 0; tries < SLEEPS_MAX; tries++) {
		struct plan plan =
			turns_plan(turns->list.at, turns->list.len, choices, choices_count);
		plan.spins = c->spins;
		int rc = worker_run(&c->worker, &plan, run, err);
		uint32_t thread = 0;
		uint64_t step = 0, at = run->diverged_turn;
		if (rc || run->end != EXPLORE_DIVERGED || at >= turns->list.len ||
		    !ends_in_sleep(run, &thread, &step) || turns->list.at[at].thread != thread ||
		    turns->list.at[at].hook <= step)
			return rc;
		vec_reserve(&turns->list, 2);
		memmove(&turns->list.at[at + 2], &turns->list.at[at],
			(turns->list.len - at) * sizeof(*turns->list.at));
		turns->list.at[at] = turns->list.at[at + 1] =
			(struct wire_turn){ thread, TURN_STEP, step };
		turns->list.len += 2;
	}
	return 0;
}

/* ---- the recorded run ---- */

/*
 * Its schedule as turns: between two switches a thread passed so many hooks, the last of which it
 * may not have got over.
 */
static int recorded_turns(const char *trace, struct turns *turns, struct confirmer *c,
			  struct err *err)
{
	struct trace_reader *r;
	struct event e;
	VEC(uint64_t) own = { 0 };
	uint64_t hooks = 0;
	int rc = trace_reader_open(&r, trace, err);
	if (rc)
		return rc;
	while ((rc = trace_reader_next(r, &e, err)) == 1) {
		if (e.kind == EV_CHOICE)
			vec_push(&c->choices, (uint32_t)e.a);
		if (e.kind != EV_SWITCH || e.b >= c->x->threads)
			continue;
		while (own.len <= e.b)
			vec_push(&own, 0);
		own.at[e.b] += e.a - hooks;
		hooks = e.a;
		if (e.mode == SWITCH_BLOCK || own.at[e.b])
			vec_push(&turns->list,
				 ((struct wire_turn){ (uint32_t)e.b, TURN_STEP,
						      own.at[e.b] - (e.mode != SWITCH_BLOCK) }));
	}
	vec_release(&own);
	trace_reader_close(r);
	return rc;
}

/* Addresses of libraries and of memory of threads in them differ by whole pages from what the
 * trace calls them. */
static bool is_same_address(uint64_t x, uint64_t y)
{
	return x == y || (x >= LIBRARIES && (x & PAGE_MASK) == (y & PAGE_MASK));
}

/* Whether an operation of the program is this event. */
bool turns_is_same(const struct wire_op *op, const struct index_event *e)
{
	if (op->kind != e->kind)
		return false;
	switch ((enum event_kind)e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_FREE:
	case EV_ALLOC:
		return op->size == e->size && is_same_address(op->object, e->obj);
	case EV_ACQUIRE:
	case EV_RELEASE:
	CASES_OF_CONDITIONS:
	CASES_OF_SEMAPHORES:
	CASES_OF_BARRIERS:
	case EV_SYNC_DESTROY:
	case EV_TIMEOUT:
		return is_same_address(op->object, e->obj);
	/* The lists name their objects in different ways. */
	case EV_FLUSH:
	case EV_RESIZE:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
	case EV_REQUEST:
	case EV_TRY_FAIL:
	case EV_SYNC_INIT:
	CASES_OF_ONCE:
	case EV_ORPHAN:
	case EV_CONSISTENT:
	case EV_ASK:
	case EV_HIDDEN:
#define SYNC_MEMORY(...)
#define SYNC_ON_OBJECT(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	return true;
}

/* That a turn has ended a wait; the call itself reports it, too, as in a trace, with its
 * deadline. */
static bool is_note(const struct wire_op *op)
{
	return op->kind == EV_TIMEOUT && !op->value;
}

static bool is_listed(const struct index_event *e)
{
	return e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW ||
	       e->kind == EV_ACQUIRE || e->kind == EV_RELEASE;
}

/* Gets an operation of a run and the event that it is. */
typedef void matched(void *arg, ev_id event, uint64_t step, const struct wire_op *op);

/*
 * Both lists have the operations of a thread in the same order; what only one of them has is
 * passed over, if it is little.
 */
static void match(const struct confirmer *c, const struct execution *run, matched *take, void *arg)
{
	uint32_t *at = mem_zero(c->x->threads + 1ull, sizeof(*at));
	uint64_t thread = 0, step = 0;
	OPS_EACH (op, run->ops, run->ops_count) {
		if (op->kind == OP_STEP) {
			thread = op->object < c->x->threads ? c->thread_of[op->object] : op->object;
			step = op->value;
			continue;
		}
		if (thread >= c->x->threads || op->kind >= EV_LIMIT || op->flags & OPF_FLUSH ||
		    is_note(op))
			continue;
		uint64_t count;
		const ev_id *own = index_of_thread(c->x, (thr_id)thread, &count);
		unsigned passed = 0;
		for (uint32_t k = at[thread]; k < count && passed < PASSED_MAX; k++) {
			if (turns_is_same(op, &c->x->events[own[k]])) {
				take(arg, own[k], step, op);
				at[thread] = k + 1;
				break;
			}
			passed += is_listed(&c->x->events[own[k]]);
		}
	}
	mem_free(at);
}

static void take_step(void *arg, ev_id event, uint64_t step, const struct wire_op *op)
{
	uint64_t *steps = arg;
	(void)op;
	if (steps[event] == STEP_UNKNOWN)
		steps[event] = step;
}

static void take_op(void *arg, ev_id event, uint64_t step, const struct wire_op *op)
{
	const struct wire_op **ops = arg;
	(void)step;
	ops[event] = op;
}

const struct wire_op **turns_match(const struct confirmer *c, const struct execution *run)
{
	const struct wire_op **ops = mem_zero(c->x->count + 1, sizeof(*ops));
	match(c, run, take_op, ops);
	return ops;
}

/*
 * Events that the program does not list belong to the step before the next listed one, or to that
 * of the last one.
 */
static void fill_gaps(struct confirmer *c, uint64_t *steps)
{
	for (thr_id t = 0; t < c->x->threads; t++) {
		uint64_t count, last = 0;
		const ev_id *own = index_of_thread(c->x, t, &count);
		for (uint64_t i = 0; i < count; i++) {
			uint64_t next = i;
			while (next < count && steps[own[next]] == STEP_UNKNOWN)
				next++;
			for (; i < next; i++)
				steps[own[i]] = next < count && steps[own[next]] > last + 1
							? steps[own[next]] - 1
							: last;
			if (i < count)
				last = steps[own[i]];
		}
	}
}

bool turns_learn(struct confirmer *c, const struct execution *run)
{
	bool is_new = false;
	uint64_t *steps = mem_alloc((c->x->count + 1) * sizeof(*steps));
	memset(steps, 0xff, c->x->count * sizeof(*steps));
	match(c, run, take_step, steps);
	for (thr_id t = 0; t < c->x->threads; t++) {
		uint64_t count, shift = 0;
		const ev_id *own = index_of_thread(c->x, t, &count);
		/* An event that the run does not list is as far from the last listed one as in the
		 * recorded run. */
		for (uint64_t i = 0; i < count; i++) {
			if (steps[own[i]] != STEP_UNKNOWN)
				shift = steps[own[i]] - c->recorded_of[own[i]];
			steps[own[i]] = c->recorded_of[own[i]] + shift;
			is_new |= steps[own[i]] != c->step_of[own[i]];
		}
	}
	memcpy(c->step_of, steps, c->x->count * sizeof(*steps));
	mem_free(steps);
	return is_new;
}

static void find_woken(struct confirmer *c)
{
	for (uint64_t i = 0; i < c->x->count; i++) {
		const struct index_event *e = &c->x->events[i];
		if (e->kind == EV_WAKE && e->link != EVENT_NONE &&
		    c->x->events[e->link].kind == EV_SIGNAL)
			*map_put(&c->woken, e->link, NULL) = e->thread;
	}
}

/* Which thread each fork created, if threads are numbered in that order; nothing otherwise. */
static void find_created(struct confirmer *c)
{
	uint64_t next = 1;
	bool is_in_order = true;
	for (uint64_t i = 0; i < c->x->count; i++) {
		const struct index_event *e = &c->x->events[i];
		if (e->kind != EV_FORK)
			continue;
		is_in_order &= e->link == EVENT_NONE || c->x->events[e->link].thread == next;
		*map_put(&c->created, i, NULL) = next++;
	}
	if (!is_in_order)
		map_release(&c->created);
}

static bool is_lost(const struct execution *run)
{
	return run->end == EXPLORE_UNSUPPORTED || run->end == EXPLORE_GONE;
}

/* Where a thread waits earlier than planned, it has passed fewer hooks than in the recording:
 * count on from there. */
static bool correct(struct turns *t, const struct execution *run)
{
	uint64_t at = run->diverged_turn, thread = 0, step = 0;
	bool waits = false;
	OPS_EACH (op, run->ops, run->ops_count) {
		if (op->kind == OP_STEP) {
			thread = op->object;
			step = op->value;
		}
		waits = op->kind == OP_BLOCKED;
	}
	if (run->end != EXPLORE_DIVERGED || !waits || at >= t->list.len ||
	    t->list.at[at].thread != thread || t->list.at[at].hook <= step)
		return false;
	uint64_t less = t->list.at[at].hook - step;
	for (size_t i = at; i < t->list.len; i++)
		if (t->list.at[i].thread == thread)
			t->list.at[i].hook -= less;
	return true;
}

static int run_recorded(struct confirmer *c, const char *trace, struct execution *run,
			struct err *err)
{
	struct turns turns = { 0 };
	int rc = recorded_turns(trace, &turns, c, err);
	for (unsigned tries = 0; !rc && tries < CORRECTIONS_MAX; tries++) {
		rc = turns_run(c, &turns, c->choices.at, c->choices.len, run, err);
		if (rc || !correct(&turns, run))
			break;
	}
	turns_release(&turns);
	return rc;
}

int confirmer_start(struct confirmer *c, const struct worker_config *config, const char *trace,
		    const struct trace_index *x, struct err *err)
{
	struct execution run = { 0 };
	*c = (struct confirmer){ .x = x };
	c->step_of = mem_alloc((x->count + 1) * sizeof(*c->step_of));
	c->recorded_of = mem_alloc((x->count + 1) * sizeof(*c->recorded_of));
	memset(c->recorded_of, 0xff, x->count * sizeof(*c->recorded_of));
	c->number_of = mem_alloc((x->threads + 1ull) * sizeof(*c->number_of));
	c->thread_of = mem_alloc((x->threads + 1ull) * sizeof(*c->thread_of));
	for (uint32_t t = 0; t < x->threads; t++)
		c->number_of[t] = c->thread_of[t] = t;
	int rc = worker_start(&c->worker, config, err);
	c->spins = true; /* no thread is held back in a recording */
	if (!rc)
		rc = run_recorded(c, trace, &run, err);
	c->spins = false;
	if (!rc && !is_lost(&run))
		match(c, &run, take_step, c->recorded_of);
	/*
	 * A step has the same number whatever other threads do, so any execution shows those of the
	 * operations that it has in common with the recorded one.
	 */
	if (!rc && run.end == EXPLORE_DIVERGED)
		rc = worker_run(&c->worker, &(struct plan){ 0 }, &run, err);
	if (!rc && !is_lost(&run))
		match(c, &run, take_step, c->recorded_of);
	if (!rc && is_lost(&run))
		snprintf(c->why, sizeof(c->why), "the program cannot be run: %.180s", run.text);
	fill_gaps(c, c->recorded_of);
	find_woken(c);
	find_created(c);
	return rc;
}

void confirmer_release(struct confirmer *c)
{
	worker_release(&c->worker);
	vec_release(&c->choices);
	map_release(&c->woken);
	map_release(&c->created);
	mem_free(c->number_of);
	mem_free(c->thread_of);
	mem_free(c->step_of);
	mem_free(c->recorded_of);
}
