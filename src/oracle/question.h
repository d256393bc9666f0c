/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle's question about a history, and its answer.
 *
 * The question: is there an execution of operations of the history that satisfies the
 * requirements below?  An execution is a sequence of operations in which
 *
 *   - each thread does a prefix of its operations, in program order;
 *   - causes come before effects, and orders hold between operations that both happen;
 *   - a lock is never held by two threads unless all of them hold it in shared mode;
 *   - a thread reaches position g only if every read before it with guard g or less sees the write
 *     that it
 *     saw in the history, or, if same_values is set, a write of the same value.
 *
 * Such a sequence is a prefix of an execution of the program: each thread has read the same
 * values as before, so it does the same as before.  Reads that are not frozen may see anything.
 *
 * A feasible answer has the sequence as its witness.  Infeasible is a proof.  Unknown means that
 * a budget was used up, or that the engine is incomplete for this question.
 */
#ifndef HEDDLE_ORACLE_QUESTION_H
#define HEDDLE_ORACLE_QUESTION_H

#include "oracle/history.h"

/*
 * A read of a variable that must see this write (OP_NONE: the initial content), or, with
 * by_value, any write of this value.  If that is another value than the read saw, operations that
 * depend on the read cannot happen.
 */
struct question_sight {
	op_id read;
	uint32_t variable;
	op_id write;
	bool by_value;
	uint64_t value;
};

struct question {
	VEC(op_id) include;	     /* must happen */
	VEC(struct op_order) orders; /* both must happen, in this order */
	/* both must happen, with nothing between them; no operation is in two such pairs */
	VEC(struct op_order) adjacent;
	/*
	 * The thread has done everything before this operation and is about to do it, with the
	 * same arguments as in the history; the operation does not happen.  At most one for each
	 * thread.
	 */
	VEC(op_id) pending;
	VEC(struct question_sight) sights;
	VEC(op_id) loose; /* reads on which nothing depends, despite their guard */
	bool same_values;
};

void question_release(struct question *q);
/* Orders between neighbours of a sequence. */
void question_add_sequence(struct question *q, const op_id *ops, size_t count);

enum verdict { VERDICT_FEASIBLE, VERDICT_INFEASIBLE, VERDICT_UNKNOWN };

struct answer {
	enum verdict verdict;
	/* the witness begins with all operations before this one, in trace order */
	op_id prefix;
	VEC(op_id) witness; /* the rest of the witness */
	const char *why;    /* of an unknown verdict: a clause, never freed */
	uint32_t attempts;  /* closure: number of sets tried; solver: number of models */
};

void answer_release(struct answer *a);

/* The witness as a whole. */
static inline size_t answer_length(const struct answer *a)
{
	return a->prefix + a->witness.len;
}

static inline op_id answer_op(const struct answer *a, size_t i)
{
	return i < a->prefix ? (op_id)i : a->witness.at[i - a->prefix];
}

/*
 * Check that a sequence is an execution as defined above that satisfies the question.  Returns
 * NULL, or the flaw as a clause.  The checker shares no code with the engines.  O(length of the
 * sequence and of the question).
 */
const char *witness_flaw(const struct history *h, const struct question *q, const op_id *sequence,
			 size_t count);
/* The same for a sequence that begins with all operations before `prefix`, in their order. */
const char *witness_flaw_after(const struct history *h, const struct question *q, op_id prefix,
			       const op_id *sequence, size_t count);

#endif
