/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default of heddle check: a systematic search, and random ("drawn") schedules in between.
 *
 * A systematic search changes the end of an execution first, so an error that needs a change of
 * threads near the beginning of a long execution comes late, although a good part of all
 * schedules shows it.  A drawn schedule changes threads anywhere with the same probability.  So
 * the portfolio makes a fixed number of drawn schedules besides (random, few preemptions, pos and
 * pct in turn; rt/explore_random.c).
 *
 * How many, and when, follows from counts only, so that one worker makes the same executions each
 * time. An execution has a cost: its hooks, and a constant for the way in which the program was
 * brought back to its beginning; hooks of a drawn one count twice, because most of them change
 * threads.  The drawn schedules may cost a quarter of what the systematic executions have cost up
 * to PORTFOLIO_FIRST, and then one part in PORTFOLIO_SHARE; the first PORTFOLIO_FEW, which are
 * all that there are where executions are long, one part in twenty.  What the next one will cost
 * is expected from those before it, and counts, unless there were only few.  A search below
 * PORTFOLIO_BEGIN draws nothing: it is over in a few milliseconds.  So in a search that costs
 * more than a million, a fraction of a second, drawn schedules are a twentieth of the cost at
 * most, and one execution (tests/unit/test_explore_portfolio.c).  Nor are there more than a
 * twentieth of the systematic ones, a burst at the beginning aside: an execution has costs that
 * are not those of its hooks, and where drawn ones are much shorter than the others, as those of
 * a program that polls, these would count.
 *
 * In a program that polls, a drawn schedule may have no end: threads that only disturb each other
 * can do so for a million steps, where the longest systematic execution has a hundred.  So one
 * that is PORTFOLIO_LONGER times as long as systematic ones, and has PORTFOLIO_LONG hooks more,
 * is cut.
 *
 * What a drawn execution shows is kept as what any other shows: failures, races, outcomes, and
 * for deepening the instructions that race.  It is counted separately (`drawn`), and on top of
 * --executions. It proves nothing about completeness: all of that is the systematic search's,
 * which gets neither less nor other work because of it, except that deepening knows points
 * earlier.  So limits that a drawn execution meets are no gaps.
 */
#ifndef HEDDLE_EXPLORE_PORTFOLIO_H
#define HEDDLE_EXPLORE_PORTFOLIO_H

#include <stdbool.h>
#include <stdint.h>

#define PORTFOLIO_BEGIN 20000 /* cost of the systematic search before the first is drawn */
#define PORTFOLIO_FIRST 25000 /* cost of the drawn ones, up to which they may have a quarter */
#define PORTFOLIO_SHARE 50    /* behind that: one part in so many */
#define PORTFOLIO_FEW 16      /* drawn schedules of any length that may have a twentieth */
#define PORTFOLIO_BURST 250   /* drawn schedules besides a twentieth of the systematic ones */
#define PORTFOLIO_MAX 10000   /* drawn schedules of a search */
#define PORTFOLIO_LONGER 16   /* a drawn schedule is cut at so many times the usual length, */
#define PORTFOLIO_LONG 10000  /* and so many hooks */

/* Executions so far, and what they cost. */
struct portfolio_costs {
	uint64_t systematic, systematic_cost;
	uint64_t drawn, drawn_cost;
};

/* Whether the next execution is drawn. */
bool portfolio_draws(const struct portfolio_costs *c);
/* After how many hooks it is cut; `length`: hooks of the first execution. */
uint64_t portfolio_most_hooks(const struct portfolio_costs *c, uint64_t length);

#endif
