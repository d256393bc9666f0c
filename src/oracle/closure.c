// SPDX-License-Identifier: Apache-2.0
/*
 * The closure engine: SeqCheck (Cai, Yun, Wang, Qiao, Palsberg, ESEC/FSE 2021) with its gaps repaired.
 *
 * An attempt starts from the operations that the question needs (set.c), adds the orders that follow
 * (closure_rules.c), and grows the set by the releases that these orders ask for.  What contradicts itself
 * here is impossible for every larger set, too.  Otherwise sections that are still open are assumed to stay
 * open, and a sequence is made (closure_order.c).  If that fails, one of the open sections may have to be
 * closed after all: a new attempt is made for each of them, breadth first (repair R5).
 *
 * Why an answer is right.  Feasible: the checker has accepted the witness.  Infeasible: either the necessary
 * orders of the smallest set contradict each other, or all sets that differ in which sections are closed were
 * tried and at most two threads took part in each, in which case completing the order as it was in the trace
 * fails only if every order does.  An execution over a larger set restricted to the operations of one of
 * these sets is an execution, too, so no others need be tried.
 */
#include "oracle/closure.h"

#include "base/err.h"
#include "oracle/faults.h"
#include "oracle/oracle.h"

#define ATTEMPTS_DEFAULT 200
#define SWEEPS_DEFAULT 20000

enum outcome { OUTCOME_FOUND, OUTCOME_FAILED, OUTCOME_IMPOSSIBLE, OUTCOME_BUDGET };

/* Releases that are forced into the set, ascending. */
struct forced {
	VEC(op_id) releases;
};

struct search {
	const struct history *h;
	const struct question *q;
	struct answer *answer;
	VEC(struct forced) queue;	/* all that were ever made */
	uint64_t sweeps;
	bool has_twins, has_many_threads;
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
		if (!access->reads || !op_set_is_bound(&a->set, access, &r.write))
			continue;
		vec_push(&a->reads, r);
	}
}

/*
 * The operations of the set in the order of the trace, which is the order in which they are best looked at.
 */
static void collect(struct attempt *a)
{
	const struct history *h = a->h;
	uint32_t *at = mem_zero(h->threads + 1ull, sizeof(*at));
	for (;;) {
		op_id next = OP_NONE;
		for (uint32_t t = 0; t < h->threads; t++)
			if (at[t] < a->set.done[t] && history_op(h, t, at[t]) < next)
				next = history_op(h, t, at[t]);
		if (next == OP_NONE)
			break;
		at[h->ops.at[next].thread]++;
		collect_op(a, next);
	}
	mem_free(at);
}

static bool order_causes(struct attempt *a)
{
	const struct history *h = a->h;
	for (uint32_t t = 0; t < h->threads; t++)
		for (uint32_t p = 0; p < a->set.done[t]; p++) {
			const struct op *o = &h->ops.at[history_op(h, t, p)];
			for (uint32_t i = 0; i < o->causes; i++)
				if (!FAULT(21) &&
				    !attempt_order(a, h->causes.at[o->first_cause + i].before,
						   history_op(h, t, p)))
					return false;
		}
	for (size_t i = 0; i < h->orders.len; i++) {
		const struct op_order *o = &h->orders.at[i];
		if (op_set_has(&a->set, o->before) && op_set_has(&a->set, o->after) && !FAULT(22) &&
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
		if (r->write != OP_NONE && !FAULT(23) && !attempt_order(a, r->write, r->access->op))
			return false;
	}
	return true;
}

void attempt_end(struct attempt *a)
{
	graph_release(&a->graph);
	vec_release(&a->reads);
	vec_release(&a->sections);
	vec_release(&a->to_close);
	a->stays_open = false;
}

/* Close the set and its necessary order together; the attempt is left begun. */
static enum outcome close_necessarily(struct attempt *a)
{
	for (;;) {
		if (!op_set_close(&a->set))
			return OUTCOME_IMPOSSIBLE;
		if (!attempt_begin(a) || !attempt_saturate(a))
			return *a->sweeps ? OUTCOME_IMPOSSIBLE : OUTCOME_BUDGET;
		if (!a->to_close.len)
			return OUTCOME_FAILED;
		for (size_t i = 0; i < a->to_close.len; i++)
			if (!op_set_want(&a->set, a->to_close.at[i]))
				return OUTCOME_IMPOSSIBLE;
		attempt_end(a);
	}
}

static enum outcome find_sequence(struct attempt *a, struct answer *to)
{
	bool goes = attempt_keep_open(a) && attempt_saturate(a);
	if (goes && attempt_linearise(a, to) && !witness_flaw(a->h, a->q, to->witness.at, to->witness.len))
		return OUTCOME_FOUND;
	if (!goes || !attempt_complete(a))
		return *a->sweeps ? OUTCOME_FAILED : OUTCOME_BUDGET;
	/* Everything that matters is ordered now, so this must be an execution. */
	ASSERT(attempt_linearise(a, to) && !witness_flaw(a->h, a->q, to->witness.at, to->witness.len));
	return OUTCOME_FOUND;
}

/* ---- which sections are closed ---- */

static void force(struct search *s, const struct forced *from, op_id release)
{
	struct forced f = {0};
	bool is_in = false;
	for (size_t i = 0; i < from->releases.len; i++) {
		if (!is_in && release < from->releases.at[i]) {
			vec_push(&f.releases, release);
			is_in = true;
		}
		vec_push(&f.releases, from->releases.at[i]);
	}
	if (!is_in)
		vec_push(&f.releases, release);
	for (size_t i = 0; i < s->queue.len; i++) {
		const struct forced *old = &s->queue.at[i];
		if (old->releases.len == f.releases.len &&
		    !memcmp(old->releases.at, f.releases.at, f.releases.len * sizeof(op_id))) {
			vec_release(&f.releases);
			return;
		}
	}
	vec_push(&s->queue, f);
}

/* After a failed attempt: any section that is open and in somebody's way may be closed instead. */
static void branch_out(struct search *s, const struct attempt *a, size_t from)
{
	for (size_t i = 0; i < a->sections.len; i++) {
		const struct op *o = &a->h->ops.at[a->sections.at[i]];
		if (o->match == OP_NONE || op_set_has(&a->set, o->match) || FAULT(24))
			continue;
		if (a->h->ops.at[o->match].own < a->set.ceiling[o->thread]) {
			struct forced f = s->queue.at[from];	/* the queue may move */
			force(s, &f, o->match);
		}
	}
}

static enum outcome attempt(struct search *s, size_t number)
{
	struct attempt a = { .h = s->h, .q = s->q, .sweeps = &s->sweeps };
	enum outcome outcome = op_set_init(&a.set, s->h, s->q) ? OUTCOME_FAILED : OUTCOME_IMPOSSIBLE;
	for (size_t i = 0; outcome == OUTCOME_FAILED && i < s->queue.at[number].releases.len; i++)
		if (!op_set_want(&a.set, s->queue.at[number].releases.at[i]))
			outcome = OUTCOME_IMPOSSIBLE;
	if (outcome == OUTCOME_FAILED)
		outcome = close_necessarily(&a);
	if (outcome == OUTCOME_FAILED)
		outcome = find_sequence(&a, s->answer);
	if (outcome == OUTCOME_FAILED)
		branch_out(s, &a, number);
	uint32_t threads = 0;
	for (uint32_t t = 0; t < s->h->threads; t++)
		threads += a.set.done[t] != 0;
	s->has_many_threads |= threads > 2 && outcome == OUTCOME_FAILED;
	s->has_twins |= a.set.has_twins;
	attempt_end(&a);
	op_set_release(&a.set);
	return outcome;
}

static enum outcome search(struct search *s, uint32_t attempts)
{
	*vec_add(&s->queue) = (struct forced){0};
	for (size_t i = 0; i < s->queue.len; i++) {
		if (i >= attempts)
			return OUTCOME_BUDGET;
		s->answer->attempts++;
		enum outcome outcome = attempt(s, i);
		if (outcome == OUTCOME_FOUND || outcome == OUTCOME_BUDGET)
			return outcome;
	}
	return OUTCOME_FAILED;
}

void closure_ask(const struct history *h, const struct question *q, const struct oracle_limits *limits,
		 struct answer *a)
{
	struct search s = {
		.h = h, .q = q, .answer = a, .sweeps = limits->sweeps ? limits->sweeps : SWEEPS_DEFAULT
	};
	a->witness.len = 0;
	a->attempts = 0;
	a->why = NULL;
	a->verdict = VERDICT_UNKNOWN;
	for (size_t i = 0; i < q->sights.len; i++)
		if (q->sights.at[i].by_value)
			a->why = "a read may choose among writes";
	if (a->why)
		return;
	enum outcome outcome = search(&s, limits->attempts ? limits->attempts : ATTEMPTS_DEFAULT);
	if (outcome == OUTCOME_FOUND)
		a->verdict = VERDICT_FEASIBLE;
	else if (outcome == OUTCOME_BUDGET)
		a->why = "too many sets of operations";
	else if (s.has_twins)
		a->why = "a read may choose among writes of one value";
	else if (s.has_many_threads)
		a->why = "more than two threads take part";
	else
		a->verdict = VERDICT_INFEASIBLE;
	if (a->verdict != VERDICT_FEASIBLE)
		a->witness.len = 0;
	for (size_t i = 0; i < s.queue.len; i++)
		vec_release(&s.queue.at[i].releases);
	vec_release(&s.queue);
}
