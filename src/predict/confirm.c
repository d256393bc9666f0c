// SPDX-License-Identifier: Apache-2.0
/*
 * Running witnesses; see confirm.h.
 *
 * What counts as confirmed is what the program did, not what was planned: for a race, the accesses of both
 * threads follow each other and overlap; for deadlocks and violations of order, the runtime has reported the
 * failure; for atomicity, the three accesses happened in the claimed order.  A plan that cannot be followed,
 * or a program that does something else, does not confirm, and the reason is told.
 */
#include "predict/confirm.h"

#include <stdio.h>
#include <string.h>

#include "trace/trace.h"

#define STEP_UNKNOWN UINT64_MAX
#define PAGE_MASK 0xfffu
#define CORRECTIONS_MAX 50	/* of the number of hooks */
#define PASSED_MAX 4		/* events that the list of a run may lack in one place */
#define SLEEPS_MAX 200		/* that one plan may have */

/* A plan that is being made. */
struct turns {
	VEC(struct wire_turn) list;
	VEC(uint64_t) last;	/* by thread: the step of its last turn */
};

static void turns_release(struct turns *t)
{
	vec_release(&t->list);
	vec_release(&t->last);
}

/* A thread that waits in a step needs another turn to go on in it. */
static void add_turn(struct turns *t, uint32_t thread, uint64_t step, bool goes_on)
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

static void add_event(struct turns *t, const struct index_event *e, uint64_t step)
{
	bool is_same_step = e->thread < t->last.len && t->last.at[e->thread] == step;
	/*
	 * Who goes on from a condition variable takes its mutex again in the same step: it goes on when that
	 * is free.
	 */
	if ((e->kind == EV_WAKE || e->kind == EV_TIMEOUT) && e->mode == SYNC_COND)
		return;
	if (e->kind == EV_TIMEOUT && !is_same_step)
		add_turn(t, e->thread, step, false);	/* to ask in vain */
	bool ends_wait = e->kind == EV_WAKE || e->kind == EV_TIMEOUT || e->kind == EV_BARRIER_OUT ||
		(e->kind == EV_ACQUIRE && is_same_step);
	add_turn(t, e->thread, step, ends_wait);
}

static size_t data_of(const struct wire_op *op)
{
	return op->kind == OP_OUTPUT   ? (op->size + sizeof(*op) - 1) / sizeof(*op)
		: op->kind == OP_AWAIT ? op->size
				       : 0;
}

/*
 * The step in which the list of an execution ends, if its thread waits there with a deadline; false if it
 * does not.
 */
static bool ends_in_sleep(const struct execution *run, uint32_t *thread, uint64_t *step)
{
	bool is_asleep = false;
	for (size_t i = 0; i < run->ops_count; i += 1 + data_of(&run->ops[i])) {
		const struct wire_op *op = &run->ops[i];
		if (op->kind == OP_STEP) {
			*thread = (uint32_t)op->object;
			*step = op->value;
		}
		is_asleep = op->kind == OP_BLOCKED && op->flags & OPF_TIMED;
	}
	return is_asleep;
}

/*
 * Run a plan.  A thread that sleeps on its way needs a turn of its own to wake up, which the events of the
 * trace do not tell; where the plan ends for that reason it is given one.
 */
static int run_plan(struct confirmer *c, struct turns *turns, const uint32_t *choices, size_t choices_count,
		    struct execution *run, struct err *err)
{
	for (unsigned tries = 0; tries < SLEEPS_MAX; tries++) {
		struct plan plan = { .turns = turns->list.at,
				     .turns_count = turns->list.len,
				     .choices = choices,
				     .choices_count = choices_count };
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
		turns->list.at[at] = turns->list.at[at + 1] = (struct wire_turn){ thread, TURN_STEP, step };
		turns->list.len += 2;
	}
	return 0;
}

/* ---- the recorded run ---- */

/*
 * Its schedule as turns: between two switches a thread passed so many hooks, the last of which it may not
 * have got over.
 */
static int recorded_turns(const char *trace, struct turns *turns, struct confirmer *c, struct err *err)
{
	struct trace_reader *r;
	struct event e;
	VEC(uint64_t) own = {0};
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
			vec_push(&turns->list, ((struct wire_turn){ (uint32_t)e.b, TURN_STEP,
				own.at[e.b] - (e.mode != SWITCH_BLOCK) }));
	}
	vec_release(&own);
	trace_reader_close(r);
	return rc;
}

/* Whether an operation of the program is this event: addresses of modules differ by whole pages. */
static bool is_same(const struct wire_op *op, const struct index_event *e)
{
	if (op->kind != e->kind)
		return false;
	switch (e->kind) {
	case EV_READ: case EV_WRITE: case EV_RMW: case EV_FREE: case EV_ALLOC:
		return op->size == e->size && (op->object & PAGE_MASK) == (e->obj & PAGE_MASK);
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_WAIT:
	case EV_WAKE:
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_SEM_POST:
	case EV_SEM_WAIT: case EV_BARRIER_IN: case EV_BARRIER_OUT: case EV_SYNC_DESTROY:
		return (op->object & PAGE_MASK) == (e->obj & PAGE_MASK);
	}
	return true;
}

static bool is_listed(const struct index_event *e)
{
	return e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW || e->kind == EV_ACQUIRE ||
		e->kind == EV_RELEASE;
}

/*
 * Both lists have the operations of a thread in the same order; what only one of them has is passed over, if
 * it is little.
 */
static void match(struct confirmer *c, const struct execution *run)
{
	uint32_t *at = mem_zero(c->x->threads + 1ull, sizeof(*at));
	uint64_t thread = 0, step = 0;
	for (size_t i = 0; i < run->ops_count; i += 1 + data_of(&run->ops[i])) {
		const struct wire_op *op = &run->ops[i];
		if (op->kind == OP_STEP) {
			thread = op->object;
			step = op->value;
			continue;
		}
		if (thread >= c->x->threads || op->kind >= EV_LIMIT || op->flags & OPF_FLUSH)
			continue;
		uint64_t count;
		const ev_id *own = index_of_thread(c->x, (thr_id)thread, &count);
		unsigned passed = 0;
		for (uint32_t k = at[thread]; k < count && passed < PASSED_MAX; k++) {
			if (is_same(op, &c->x->events[own[k]])) {
				if (c->step_of[own[k]] == STEP_UNKNOWN)
					c->step_of[own[k]] = step;
				at[thread] = k + 1;
				break;
			}
			passed += is_listed(&c->x->events[own[k]]);
		}
	}
	mem_free(at);
}

/*
 * Events that the program does not list belong to the step before the next listed one, or to that of the last
 * one.
 */
static void fill_gaps(struct confirmer *c)
{
	for (thr_id t = 0; t < c->x->threads; t++) {
		uint64_t count, last = 0;
		const ev_id *own = index_of_thread(c->x, t, &count);
		for (uint64_t i = 0; i < count; i++) {
			uint64_t next = i;
			while (next < count && c->step_of[own[next]] == STEP_UNKNOWN)
				next++;
			for (; i < next; i++)
				c->step_of[own[i]] = next < count && c->step_of[own[next]] > last + 1 ?
					c->step_of[own[next]] - 1 : last;
			if (i < count)
				last = c->step_of[own[i]];
		}
	}
}

static void find_woken(struct confirmer *c)
{
	for (uint64_t i = 0; i < c->x->count; i++) {
		const struct index_event *e = &c->x->events[i];
		if (e->kind == EV_WAKE && e->link != EV_NONE && c->x->events[e->link].kind == EV_SIGNAL)
			*map_put(&c->woken, e->link, NULL) = e->thread;
	}
}

static bool is_lost(const struct execution *run)
{
	return run->end == EXPLORE_UNSUPPORTED || run->end == EXPLORE_GONE;
}

/* Where a thread waits earlier than planned, it has passed fewer hooks than in the recording: count on from there. */
static bool correct(struct turns *t, const struct execution *run)
{
	uint64_t at = run->diverged_turn, thread = 0, step = 0;
	bool waits = false;
	for (size_t i = 0; i < run->ops_count; i += 1 + data_of(&run->ops[i])) {
		const struct wire_op *op = &run->ops[i];
		if (op->kind == OP_STEP) {
			thread = op->object;
			step = op->value;
		}
		waits = op->kind == OP_BLOCKED;
	}
	if (run->end != EXPLORE_DIVERGED || !waits || at >= t->list.len || t->list.at[at].thread != thread ||
	    t->list.at[at].hook <= step)
		return false;
	uint64_t less = t->list.at[at].hook - step;
	for (size_t i = at; i < t->list.len; i++)
		if (t->list.at[i].thread == thread)
			t->list.at[i].hook -= less;
	return true;
}

static int run_recorded(struct confirmer *c, const char *trace, struct execution *run, struct err *err)
{
	struct turns turns = {0};
	int rc = recorded_turns(trace, &turns, c, err);
	for (unsigned tries = 0; !rc && tries < CORRECTIONS_MAX; tries++) {
		rc = run_plan(c, &turns, c->choices.at, c->choices.len, run, err);
		if (rc || !correct(&turns, run))
			break;
	}
	turns_release(&turns);
	return rc;
}

int confirmer_start(struct confirmer *c, const struct worker_config *config, const char *trace,
		    const struct trace_index *x, struct err *err)
{
	struct execution run = {0};
	*c = (struct confirmer){ .x = x };
	c->step_of = mem_alloc((x->count + 1) * sizeof(*c->step_of));
	memset(c->step_of, 0xff, x->count * sizeof(*c->step_of));
	int rc = worker_start(&c->worker, config, err);
	if (!rc)
		rc = run_recorded(c, trace, &run, err);
	if (!rc && !is_lost(&run))
		match(c, &run);
	/*
	 * A step has the same number whatever other threads do, so any execution tells those of the operations
	 * that it has in common with the recorded one.
	 */
	if (!rc && run.end == EXPLORE_DIVERGED)
		rc = worker_run(&c->worker, &(struct plan){0}, &run, err);
	if (!rc && !is_lost(&run))
		match(c, &run);
	if (!rc && is_lost(&run))
		snprintf(c->why, sizeof(c->why), "the program cannot be run: %.180s", run.text);
	fill_gaps(c);
	find_woken(c);
	return rc;
}

void confirmer_release(struct confirmer *c)
{
	worker_release(&c->worker);
	vec_release(&c->choices);
	map_release(&c->woken);
	mem_free(c->step_of);
}

/* ---- which waiter a signal wakes ---- */

struct waiting {
	uint64_t object;
	uint32_t thread;
};

/* Signals wake the first thread in a queue, unless they are told another one; they are asked if there are several. */
struct queues {
	VEC(struct waiting) list;	/* in the order in which they began to wait */
	VEC(uint32_t) choices;
};

static void leave(struct queues *q, size_t i)
{
	memmove(&q->list.at[i], &q->list.at[i + 1], (q->list.len - i - 1) * sizeof(*q->list.at));
	q->list.len--;
}

static void choose(struct queues *q, uint64_t object, uint32_t wanted)
{
	uint32_t number = 0, chosen = 0;
	size_t at = SIZE_MAX;
	for (size_t i = 0; i < q->list.len; i++) {
		if (q->list.at[i].object != object)
			continue;
		if (at == SIZE_MAX || q->list.at[i].thread == wanted) {
			at = i;
			chosen = number;
		}
		number++;
	}
	if (number > 1)
		vec_push(&q->choices, chosen);
	if (at != SIZE_MAX)
		leave(q, at);
}

static void follow_queues(const struct confirmer *c, struct queues *q, ev_id id)
{
	const struct index_event *e = &c->x->events[id];
	const uint64_t *woken = map_get(&c->woken, id);
	if (e->kind == EV_WAIT)
		vec_push(&q->list, ((struct waiting){ e->obj, e->thread }));
	if (e->kind == EV_SIGNAL)
		choose(q, e->obj, woken ? (uint32_t)*woken : UINT32_MAX);
	for (size_t i = q->list.len; i-- > 0;) {
		bool is_all = e->kind == EV_BROADCAST && q->list.at[i].object == e->obj;
		if (is_all || (e->kind == EV_TIMEOUT && q->list.at[i].thread == e->thread))
			leave(q, i);
	}
}

/* ---- a claim ---- */

static uint32_t thread_of(const struct confirmer *c, const struct history *h, op_id op)
{
	return c->x->events[h->ops.at[op].event].thread;
}

static uint64_t step_of(const struct confirmer *c, const struct history *h, op_id op)
{
	return c->step_of[h->ops.at[op].event];
}

/*
 * Whether an operation is made together with one that its thread is only about to do: a step is not divided.
 */
static bool is_too_far(const struct confirmer *c, const struct history *h, const struct question *q, op_id op)
{
	for (size_t k = 0; k < q->pending.len; k++)
		if (h->ops.at[q->pending.at[k]].thread == h->ops.at[op].thread &&
		    step_of(c, h, q->pending.at[k]) <= step_of(c, h, op))
			return true;
	return false;
}

/* The witness, then each thread up to its pending operation. */
static void plan_witness(const struct confirmer *c, const struct history *h, const struct claim *claim,
			 struct turns *t, struct queues *queues)
{
	const struct question *q = &claim->question;
	for (size_t i = 0; i < claim->answer.witness.len; i++) {
		op_id op = claim->answer.witness.at[i];
		if (is_too_far(c, h, q, op))
			continue;
		add_event(t, &c->x->events[h->ops.at[op].event], step_of(c, h, op));
		follow_queues(c, queues, h->ops.at[op].event);
	}
	for (size_t k = 0; k < q->pending.len; k++) {
		op_id op = q->pending.at[k];
		if (step_of(c, h, op))
			add_turn(t, thread_of(c, h, op), step_of(c, h, op) - 1, false);
	}
}

/* What a step did, in the list of an execution; NULL if it is not there. */
static const struct wire_op *find_step(const struct execution *run, uint32_t thread, uint64_t step,
				       size_t *place)
{
	size_t number = 0;
	for (size_t i = 0; i < run->ops_count; i += 1 + data_of(&run->ops[i])) {
		const struct wire_op *op = &run->ops[i];
		if (op->kind != OP_STEP)
			continue;
		number++;
		if (op->object == thread && op->value == step) {
			*place = number;
			return op + 1;
		}
	}
	return NULL;
}

static bool is_access(const struct wire_op *op)
{
	return op->kind == EV_READ || op->kind == EV_WRITE || op->kind == EV_RMW;
}

/* Whether two steps have accesses that overlap, one of them a write. */
static bool do_conflict(const struct execution *run, const struct wire_op *x, const struct wire_op *y)
{
	const struct wire_op *end = run->ops + run->ops_count;
	for (const struct wire_op *a = x; a < end && a->kind != OP_STEP; a++)
		for (const struct wire_op *b = y; b < end && b->kind != OP_STEP; b++)
			if (is_access(a) && is_access(b) && (a->kind != EV_READ || b->kind != EV_READ) &&
			    a->object < b->object + b->size && b->object < a->object + a->size)
				return true;
	return false;
}

static bool shows_race(const struct confirmer *c, const struct history *h, const struct claim *claim,
		       const struct execution *run)
{
	op_id x = claim->ops.at[0], y = claim->ops.at[1];
	size_t first, second;
	const struct wire_op *a = find_step(run, thread_of(c, h, x), step_of(c, h, x), &first);
	const struct wire_op *b = find_step(run, thread_of(c, h, y), step_of(c, h, y), &second);
	return a && b && second == first + 1 && do_conflict(run, a, b);
}

static bool shows_atomicity(const struct confirmer *c, const struct history *h, const struct claim *claim,
			    const struct execution *run)
{
	size_t place[3] = {0};
	for (size_t i = 0; i < 2; i++) {
		op_id op = claim->ops.at[i];
		if (!find_step(run, thread_of(c, h, op), step_of(c, h, op), &place[i]))
			return false;
	}
	/* The second access may have another number of hooks before it now. */
	bool is_there =
		find_step(run, thread_of(c, h, claim->ops.at[2]), step_of(c, h, claim->ops.at[2]), &place[2]);
	return place[0] < place[1] && (!is_there || place[1] < place[2]);
}

/* Misuse of an object that has been destroyed does not end the program. */
static bool shows_late_use(const struct confirmer *c, const struct history *h, const struct claim *claim,
			   const struct execution *run)
{
	op_id use = claim->ops.at[0], end = claim->ops.at[1];
	size_t first, second;
	return find_step(run, thread_of(c, h, end), step_of(c, h, end), &first) &&
	       find_step(run, thread_of(c, h, use), step_of(c, h, use), &second) && first < second;
}

/* After the witness: the operations themselves, in an order in which they show what is claimed. */
static void plan_end(const struct confirmer *c, const struct history *h, const struct claim *claim,
		     struct turns *t)
{
	size_t count = claim->kind == CLAIM_RACE ? 2 : claim->kind == CLAIM_DEADLOCK ? claim->ops.len :
		claim->kind == CLAIM_ATOMICITY ? 0 : 1;
	for (size_t i = 0; i < count; i++)
		add_turn(t, thread_of(c, h, claim->ops.at[i]), step_of(c, h, claim->ops.at[i]), false);
}

static void judge(const struct confirmer *c, const struct history *h, const struct claim *claim,
		  const struct execution *run, struct confirmation *out)
{
	bool has_failed = run->end == EXPLORE_FAILURE;
	out->failure = has_failed ? run->failure : 0;
	out->failure_object = run->failure_object;
	switch (claim->kind) {
	case CLAIM_RACE: out->is_confirmed = shows_race(c, h, claim, run); break;
	case CLAIM_ATOMICITY:
		out->is_confirmed = shows_atomicity(c, h, claim, run) && run->end != EXPLORE_DIVERGED;
		break;
	case CLAIM_USE_DESTROYED: out->is_confirmed = has_failed || shows_late_use(c, h, claim, run); break;
	case CLAIM_USE_BEFORE_INIT: out->is_confirmed = run->end != EXPLORE_DIVERGED; break;
	default: out->is_confirmed = has_failed;
	}
	if (out->is_confirmed)
		return;
	if (run->end == EXPLORE_DIVERGED)
		snprintf(out->why, sizeof(out->why), "the program did something else at step %llu of the witness",
			(unsigned long long)run->diverged_turn);
	else if (run->end == EXPLORE_STEP_LIMIT)
		snprintf(out->why, sizeof(out->why), "the run reached its limit of steps");
	else if (run->end == EXPLORE_UNSUPPORTED || run->end == EXPLORE_GONE)
		snprintf(out->why, sizeof(out->why), "%.200s", run->text);
	else
		snprintf(out->why, sizeof(out->why), "%s", run->has_outside_writes ? "memory changed out of sight" :
			"the program did not get there");
}

int confirmer_try(struct confirmer *c, const struct history *h, const struct claim *claim,
		  struct confirmation *out, struct err *err)
{
	struct turns turns = {0};
	struct queues queues = {0};
	struct execution run;
	int rc = 0;
	*out = (struct confirmation){0};
	if (c->why[0]) {
		snprintf(out->why, sizeof(out->why), "%s", c->why);
	} else {
		plan_witness(c, h, claim, &turns, &queues);
		plan_end(c, h, claim, &turns);
		rc = run_plan(c, &turns, queues.choices.at, queues.choices.len, &run, err);
		if (!rc)
			judge(c, h, claim, &run, out);
	}
	turns_release(&turns);
	vec_release(&queues.list);
	vec_release(&queues.choices);
	return rc;
}
