/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a history around the operations of a question, as a history of its own.  Private to
 * src/oracle.
 *
 *   strict    Operations before the window have happened as in the trace; those after it do not
 *             happen.  An execution of the window, after that prefix, is an execution of the
 *             history.
 *   relaxed   Constraints that depend on operations outside are left out.  An execution of the
 *             history, restricted to the window, is an execution of the window.  So what is
 *             infeasible in the window is infeasible in the history.
 */
#ifndef HEDDLE_ORACLE_WINDOW_H
#define HEDDLE_ORACLE_WINDOW_H

#include "base/map.h"
#include "oracle/question.h"

struct window {
	const struct history *whole;
	op_id from, to; /* the window: operations [from, to) of the history */
	/* strict: acquires before the window with a release inside, ascending; they are added to it
	 */
	VEC(op_id) open;
	struct history h; /* first the open acquires, then the others */
	/* numbers in the history to those in the window */
	struct map thread_of, variable_of, lock_of;
};

void window_make(struct window *w, const struct history *h, op_id from, op_id to, bool is_relaxed,
		 bool same_values);
void window_release(struct window *w);
/* The question in terms of the window; false if it names something outside.  The caller releases
 * it. */
bool window_question(const struct window *w, const struct question *q, struct question *to);
/* Convert an answer about a strict window to one about the history. */
void window_answer(const struct window *w, struct answer *a);

#endif
