/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two engines: the fast one first, then the complete one if the first gives no verdict.
 *
 * Most questions about a long history are decided by the operations around those of the question.
 * So they are first asked about a window, at a cost that depends only on its length, and about a
 * larger window only if that decides nothing.  Feasible in the strict window implies feasible;
 * infeasible in the relaxed window implies infeasible (window.h).
 */
#include "oracle/oracle.h"

#include "base/err.h"
#include "oracle/window.h"

#define WHOLE_DEFAULT 20000 /* histories with at most so many operations need no windows */
#define MARGIN_DEFAULT \
	1000 /* operations before and after those of the question, in the first window */
#define MARGIN_GROWTH 8
#define WORTH 2 /* a window with more than 1 / WORTH of the history is not worth it */

static const struct oracle_limits defaults;

static bool is_accepted(const struct history *h, const struct question *q, const struct answer *a)
{
	return !witness_flaw_after(h, q, a->prefix, a->witness.at, a->witness.len);
}

void oracle_ask(const struct history *h, const struct question *q,
		const struct oracle_limits *limits, struct answer *a)
{
	if (!limits)
		limits = &defaults;
	a->prefix = 0;
	closure_ask(h, q, limits, a);
	if (a->verdict == VERDICT_UNKNOWN)
		solver_ask(h, q, limits, a);
	ASSERT(a->verdict != VERDICT_FEASIBLE || is_accepted(h, q, a));
}

/* ---- windows ---- */

static void extend(op_id op, op_id *low, op_id *high)
{
	*low = op < *low ? op : *low;
	*high = op > *high ? op : *high;
}

/* The range of the operations that a question names. */
static void extent(const struct question *q, op_id *low, op_id *high)
{
	for (size_t i = 0; i < q->include.len; i++)
		extend(q->include.at[i], low, high);
	for (size_t i = 0; i < q->pending.len; i++)
		extend(q->pending.at[i], low, high);
	for (size_t i = 0; i < q->orders.len; i++) {
		extend(q->orders.at[i].before, low, high);
		extend(q->orders.at[i].after, low, high);
	}
	for (size_t i = 0; i < q->adjacent.len; i++) {
		extend(q->adjacent.at[i].before, low, high);
		extend(q->adjacent.at[i].after, low, high);
	}
}

/* Whether the window decides the question. */
static bool ask_window(const struct history *h, const struct question *q,
		       const struct oracle_limits *limits, op_id from, op_id to, bool is_relaxed,
		       struct answer *a)
{
	struct window w;
	struct question inside = { 0 };
	bool is_decided = false;
	window_make(&w, h, from, to, is_relaxed, q->same_values);
	if (window_question(&w, q, &inside)) {
		oracle_ask(&w.h, &inside, limits, a);
		is_decided = a->verdict == (is_relaxed ? VERDICT_INFEASIBLE : VERDICT_FEASIBLE);
	}
	if (is_decided && !is_relaxed)
		window_answer(&w, a);
	ASSERT(!is_decided || is_relaxed || is_accepted(h, q, a));
	question_release(&inside);
	window_release(&w);
	return is_decided;
}

void oracle_ask_near(const struct history *h, const struct question *q,
		     const struct oracle_limits *limits, struct answer *a)
{
	if (!limits)
		limits = &defaults;
	uint64_t whole = limits->whole ? limits->whole : WHOLE_DEFAULT;
	uint64_t margin = limits->margin ? limits->margin : MARGIN_DEFAULT;
	op_id low = OP_NONE, high = 0;
	extent(q, &low, &high);
	bool has_windows = h->ops.len > whole && low != OP_NONE && !q->sights.len && !q->loose.len;
	for (; has_windows; margin *= MARGIN_GROWTH) {
		uint64_t from = low > margin ? low - margin : 0;
		uint64_t to = high + margin < h->ops.len ? high + margin : h->ops.len;
		if (to - from > h->ops.len / WORTH)
			break;
		if (ask_window(h, q, limits, (op_id)from, (op_id)to, false, a) ||
		    ask_window(h, q, limits, (op_id)from, (op_id)to, true, a))
			return;
		if (limits->largest && to - from >= limits->largest) {
			a->verdict = VERDICT_UNKNOWN;
			a->why = "more operations are relevant than the budget allows";
			return;
		}
	}
	oracle_ask(h, q, limits, a);
}
