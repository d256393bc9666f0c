/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The closure engine: SeqCheck (Cai, Yun, Wang, Qiao, Palsberg, ESEC/FSE 2021) with its gaps
 * repaired.
 *
 * An attempt:
 *   1. Start from the operations that the question requires (set.c).
 *   2. Add the orders that follow (closure_rules.c), and the releases that these orders require.
 *      A contradiction here is one for every larger set, too.
 *   3. Assume that sections that are still open stay open, and build a sequence (closure_order.c).
 * If step 3 fails, one of the open sections may have to be closed after all: there is a new
 * attempt for each of them, breadth first (repair R5).
 *
 * Why an answer is correct.
 *   Feasible: the checker has accepted the witness.
 *   Infeasible, in one of two cases:
 *     - The necessary orders of the smallest set contradict each other.
 *     - All sets that differ in which sections are closed were tried, and at most two threads took
 *       part in
 *       each.  For two threads, completing the order as in the trace fails only if every
 *       completion fails.
 *   No other sets need to be tried: an execution of a larger set, restricted to the operations of
 *   one of these sets, is an execution, too.
 *
 * A read that may see any write of a value is first assumed to see the write that it saw.  If
 * that fails, its source is left open.  Then either the necessary orders contradict each other
 * for every source, or they leave one source, or there is a new attempt for each write that it
 * may see (closure_choice.c).
 */
#include "oracle/closure.h"

#include <stdlib.h>

#include "base/err.h"
#include "wire/fault.h"
#include "oracle/oracle.h"

#define ATTEMPTS_DEFAULT 200
#define SWEEPS_DEFAULT 20000
#define WORK_DEFAULT 5000000 /* about a second */
#define WORK_EACH 10	     /* added for each operation of the history */

enum outcome { OUTCOME_FOUND, OUTCOME_FAILED, OUTCOME_IMPOSSIBLE, OUTCOME_BUDGET };

/* The parameters of one attempt. */
struct task {
	VEC(op_id) releases;	       /* forced into the set, ascending */
	VEC(struct op_choice) choices; /* of reads that may see several writes */
};

struct search {
	const struct history *h;
	const struct question *q;
	struct answer *answer;
	VEC(struct task) queue; /* all tasks, including finished ones */
	uint64_t sweeps, work;
	bool has_undecided; /* a read with too many writes to choose from */
	bool has_many_threads;
	bool has_large_order; /* it would take more than GRAPH_BYTES_MAX */
};

/* ---- one attempt ---- */

static void collect_op(struct attempt *a, op_id id)
{
	const struct op *o = &a->h->ops.at[id];
	if (o->kind == OP_ACQUIRE) {
		const uint32_t *takers = a->h->takers + o->lock;
		for (uint32_t i = takers[0]; i < takers[1]; i++) {
			const struct history_run *run = &a->h->runs.at[i];
			if (run->thread != o->thread &&
			    history_first_from(a->h, run, 0) < a->set.done[run->thread]) {
				vec_push(&a->sections, id);
				break;
			}
		}
	}
	for (uint32_t i = 0; i < o->accesses; i++) {
		const struct op_access *access = &a->h->accesses.at[o->first_access + i];
		struct bound_read r = { access, OP_NONE };
		if (access->reads && op_set_is_bound(&a->set, access, &r.write))
			vec_push(&a->reads, r);
		else if (access->reads && op_set_may_choose(&a->set, access))
			vec_push(&a->choosers, access);
	}
}

static int compare_ops(const void *a, const void *b)
{
	const op_id *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/*
 * Collect reads and sections of the set in trace order.  Applying the rules in this order needs
 * few sweeps.
 */
static void collect(struct attempt *a)
{
	const struct history *h = a->h;
	VEC(op_id) ops = { 0 };
	for (uint32_t t = 0; t < h->threads; t++)
		for (uint32_t p = 0; p < a->set.done[t]; p++)
			vec_push(&ops, history_op(h, t, p));
	if (ops.len)
		qsort(ops.at, ops.len, sizeof(*ops.at), compare_ops);
	for (size_t i = 0; i < ops.len; i++)
		collect_op(a, ops.at[i]);
	vec_release(&ops);
}

static bool order_causes(struct attempt *a)
{
	const struct history *h = a->h;
	for (uint32_t t = 0; t < h->threads; t++)
		for (uint32_t p = 0; p < a->set.done[t]; p++) {
			const struct op *o = &h->ops.at[history_op(h, t, p)];
			for (uint32_t i = 0; i < o->causes; i++) {
				if (FAULT(CLOSURE_IGNORES_CAUSES))
					break;
				if (!attempt_order(a, h->causes.at[o->first_cause + i].before,
						   history_op(h, t, p)))
					return false;
			}
		}
	for (size_t i = 0; i < h->orders.len; i++) {
		const struct op_order *o = &h->orders.at[i];
		if (FAULT(CLOSURE_IGNORES_ORDERS))
			break;
		if (op_set_has(&a->set, o->before) && op_set_has(&a->set, o->after) &&
		    !attempt_order(a, o->before, o->after))
			return false;
	}
	return true;
}

bool attempt_begin(struct attempt *a)
{
	graph_init(&a->graph, a->h->threads, a->set.done);
	collect(a);
	for (size_t i = 0; i < a->q->orders.len; i++)
		if (!attempt_order(a, a->q->orders.at[i].before, a->q->orders.at[i].after))
			return false;
	if (!order_causes(a))
		return false;
	for (size_t i = 0; i < a->reads.len; i++) {
		const struct bound_read *r = &a->reads.at[i];
		if (FAULT(CLOSURE_IGNORES_SOURCES))
			break;
		if (r->write != OP_NONE && !attempt_order(a, r->write, r->access->op))
			return false;
	}
	return true;
}

void attempt_end(struct attempt *a)
{
	graph_release(&a->graph);
	vec_release(&a->reads);
	vec_release(&a->choosers);
	vec_release(&a->sections);
	vec_release(&a->needed);
	a->stays_open = false;
}

/* Close the set and its necessary order together.  On OUTCOME_FAILED nothing is decided, and the
 * attempt is begun. */
static enum outcome close_necessarily(struct attempt *a)
{
	for (;;) {
		if (!op_set_close(&a->set))
			return OUTCOME_IMPOSSIBLE;
		if (!attempt_work(a, op_set_size(&a->set)))
			return OUTCOME_BUDGET;
		if (!attempt_begin(a) || !attempt_saturate(a))
			return *a->sweeps ? OUTCOME_IMPOSSIBLE : OUTCOME_BUDGET;
		if (!a->needed.len)
			return OUTCOME_FAILED;
		for (size_t i = 0; i < a->needed.len; i++)
			if (!op_set_want(&a->set, a->needed.at[i]))
				return OUTCOME_IMPOSSIBLE;
		attempt_end(a);
	}
}

static enum outcome find_sequence(struct attempt *a, struct answer *to)
{
	bool goes = attempt_keep_open(a) && attempt_saturate(a);
	if (goes && attempt_linearise(a, to) &&
	    !witness_flaw(a->h, a->q, to->witness.at, to->witness.len))
		return OUTCOME_FOUND;
	if (!goes || !attempt_complete(a))
		return *a->sweeps ? OUTCOME_FAILED : OUTCOME_BUDGET;
	/* All conflicting operations are ordered now, so this must be an execution. */
	bool is_found = attempt_linearise(a, to);
	if (a->graph.is_cut_off)
		return OUTCOME_BUDGET;
	ASSERT(is_found && !witness_flaw(a->h, a->q, to->witness.at, to->witness.len));
	return OUTCOME_FOUND;
}

/* ---- tasks ---- */

static void task_release(struct task *t)
{
	vec_release(&t->releases);
	vec_release(&t->choices);
}

static bool is_same_task(const struct task *x, const struct task *y)
{
	if (x->releases.len != y->releases.len || x->choices.len != y->choices.len)
		return false;
	for (size_t i = 0; i < x->releases.len; i++)
		if (x->releases.at[i] != y->releases.at[i])
			return false;
	for (size_t i = 0; i < x->choices.len; i++)
		if (x->choices.at[i].read != y->choices.at[i].read ||
		    x->choices.at[i].write != y->choices.at[i].write ||
		    x->choices.at[i].variable != y->choices.at[i].variable)
			return false;
	return true;
}

/* A task like `from`, with another release (OP_NONE: none) and the choices of an attempt. */
static struct task *task_after(struct search *s, const struct task *from, op_id release,
			       const struct op_set *set)
{
	struct task t = { 0 };
	for (size_t i = 0; i < from->releases.len; i++) {
		if (release < from->releases.at[i]) {
			vec_push(&t.releases, release);
			release = OP_NONE;
		}
		vec_push(&t.releases, from->releases.at[i]);
	}
	if (release != OP_NONE)
		vec_push(&t.releases, release);
	for (size_t i = 0; i < set->choices.len; i++)
		vec_push(&t.choices, set->choices.at[i]);
	vec_push(&s->queue, t);
	return &vec_last(&s->queue);
}

/* After a failed attempt: add a task for each open section of a contended lock, in which it is
 * closed. */
static void close_another(struct search *s, const struct attempt *a, size_t number)
{
	for (size_t i = 0; i < a->sections.len; i++) {
		const struct op *o = &a->h->ops.at[a->sections.at[i]];
		if (FAULT(CLOSURE_ENDS_NO_SECTION))
			break;
		if (o->match == OP_NONE || op_set_has(&a->set, o->match))
			continue;
		if (a->h->ops.at[o->match].own >= a->set.ceiling[o->thread])
			continue;
		struct task from = s->queue.at[number]; /* a copy: the queue may be reallocated */
		struct task *t = task_after(s, &from, o->match, &a->set);
		bool is_known = false;
		for (size_t k = 0; k + 1 < s->queue.len && !is_known; k++)
			is_known = is_same_task(&s->queue.at[k], t);
		if (is_known) {
			task_release(t);
			s->queue.len--;
		}
	}
}

/* Add a task for each candidate of a read whose source is open. */
static void choose_write(struct search *s, const struct attempt *a, size_t number)
{
	struct candidates c;
	const struct op_access *read = attempt_next_choice(a, &c);
	s->has_undecided |= !read;
	for (uint32_t i = 0; read && i < c.count; i++) {
		if (FAULT(CHOICE_TRIES_ONE) && i)
			break;
		struct task from = s->queue.at[number];
		struct task *t = task_after(s, &from, OP_NONE, &a->set);
		vec_push(&t->choices,
			 ((struct op_choice){ read->op, read->variable, c.writes[i] }));
	}
}

static bool begin_set(const struct search *s, const struct task *t, bool has_choice,
		      struct op_set *set)
{
	bool fits = op_set_init(set, s->h, s->q);
	set->has_choice = has_choice;
	for (size_t i = 0; i < t->releases.len; i++)
		fits = fits && op_set_want(set, t->releases.at[i]);
	for (size_t i = 0; i < t->choices.len; i++) {
		op_id write = t->choices.at[i].write;
		vec_push(&set->choices, t->choices.at[i]);
		fits = fits && (write == OP_NONE || op_set_want(set, write));
	}
	return fits;
}

static void count_threads(struct search *s, const struct attempt *a)
{
	uint32_t threads = 0;
	for (uint32_t t = 0; t < s->h->threads; t++)
		threads += a->set.done[t] != 0;
	s->has_many_threads |= threads > 2;
}

/* Make one attempt; if it fails, add the tasks that may succeed instead.  *takes_seen: some read
 * with several possible sources was assumed to see the write that it saw. */
static enum outcome attempt(struct search *s, size_t number, bool has_choice, bool *takes_seen)
{
	struct attempt a = { .h = s->h, .q = s->q, .sweeps = &s->sweeps, .work = &s->work };
	struct task task = s->queue.at[number];
	enum outcome outcome = begin_set(s, &task, has_choice, &a.set) ? close_necessarily(&a)
								       : OUTCOME_IMPOSSIBLE;
	*takes_seen = a.set.has_twins && !has_choice;
	s->has_large_order |= a.graph.bytes > GRAPH_BYTES_MAX;
	if (outcome == OUTCOME_FAILED && a.choosers.len) {
		choose_write(s, &a, number);
	} else if (outcome == OUTCOME_FAILED) {
		outcome = find_sequence(&a, s->answer);
		if (outcome == OUTCOME_FAILED && !*takes_seen) {
			close_another(s, &a, number);
			count_threads(s, &a);
		}
	}
	attempt_end(&a);
	op_set_release(&a.set);
	return outcome;
}

/* Whether no read that must see a value has an open source. */
static bool can_take_seen(const struct search *s, const struct task *t)
{
	for (size_t i = 0; i < s->q->sights.len; i++) {
		const struct question_sight *v = &s->q->sights.at[i];
		bool is_decided = !v->by_value;
		for (size_t k = 0; k < t->choices.len; k++)
			is_decided |= t->choices.at[k].read == v->read &&
				      t->choices.at[k].variable == v->variable;
		if (!is_decided)
			return false;
	}
	return true;
}

static enum outcome search(struct search *s, uint32_t attempts)
{
	*vec_add(&s->queue) = (struct task){ 0 };
	for (size_t i = 0; i < s->queue.len; i++) {
		bool is_open = true;
		enum outcome outcome = OUTCOME_FAILED;
		if (i >= attempts)
			return OUTCOME_BUDGET;
		s->answer->attempts++;
		if (can_take_seen(s, &s->queue.at[i]))
			outcome = attempt(s, i, false, &is_open);
		if (is_open && outcome != OUTCOME_FOUND && outcome != OUTCOME_BUDGET)
			outcome = attempt(s, i, true, &is_open);
		if (outcome == OUTCOME_FOUND || outcome == OUTCOME_BUDGET)
			return outcome;
	}
	return OUTCOME_FAILED;
}

void closure_ask(const struct history *h, const struct question *q,
		 const struct oracle_limits *limits, struct answer *a)
{
	struct search s = { .h = h,
			    .q = q,
			    .answer = a,
			    .sweeps = limits->sweeps ? limits->sweeps : SWEEPS_DEFAULT,
			    .work = limits->work ? limits->work
						 : WORK_DEFAULT + WORK_EACH * h->ops.len };
	a->witness.len = 0;
	a->attempts = 0;
	a->why = NULL;
	a->verdict = VERDICT_UNKNOWN;
	enum outcome outcome = search(&s, limits->attempts ? limits->attempts : ATTEMPTS_DEFAULT);
	if (outcome == OUTCOME_FOUND)
		a->verdict = VERDICT_FEASIBLE;
	else if (s.has_large_order)
		a->why = "the order of so many threads takes too much memory";
	else if (outcome == OUTCOME_BUDGET)
		a->why = "too many sets of operations";
	else if (s.has_undecided)
		a->why = "a read may choose among too many writes of one value";
	else if (s.has_many_threads)
		a->why = "more than two threads take part";
	else
		a->verdict = VERDICT_INFEASIBLE;
	if (a->verdict != VERDICT_FEASIBLE)
		a->witness.len = 0;
	for (size_t i = 0; i < s.queue.len; i++)
		task_release(&s.queue.at[i]);
	vec_release(&s.queue);
}
