/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a history around the operations of a question, as a history of its own.  Private to src/oracle.
 *
 *   strict    what comes before the window has happened as in the trace, what comes after it does not happen.
 *             An execution of the window, after that beginning, is an execution of the history.
 *   relaxed   nothing is known of the rest: what would follow from it is left out.  An execution of the
 *             history, as far as it is in the window, is an execution of it; so what is impossible here is
 *             impossible there.
 */
#ifndef HEDDLE_ORACLE_WINDOW_H
#define HEDDLE_ORACLE_WINDOW_H

#include "base/map.h"
#include "oracle/question.h"

struct window {
	const struct history *whole;
	op_id from, to;			/* operations of the history that are in it, except: */
	/* strict: acquires from before it that are released in it, ascending */
	VEC(op_id) open;
	struct history h;		/* first the open acquires, then the others */
	struct map thread_of, variable_of, lock_of;	/* numbers in the history to those here */
};

void window_make(struct window *w, const struct history *h, op_id from, op_id to, bool is_relaxed,
		 bool same_values);
void window_release(struct window *w);
/* The question in terms of the window; false if it names something outside.  The caller releases it. */
bool window_question(const struct window *w, const struct question *q, struct question *to);
/* An answer about the window (strict) in terms of the history. */
void window_answer(const struct window *w, struct answer *a);

#endif
