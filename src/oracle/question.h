/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle's question about a history, and its answer.
 *
 * The question: is there an execution, built only of what the history shows, that fulfils the demands below?
 * Such an execution is a sequence of operations in which
 *
 *   - each thread does a prefix of its operations, in their order;
 *   - causes come before effects, and orders hold between operations that both happen;
 *   - a lock is never held by two threads unless all of them share it;
 *   - a thread gets to position g only if every read before it with guard g or less saw the write that it saw
 *     in the history, or, if same_values is set, a write that left the same value.
 *
 * Such a sequence is a prefix of an execution of the program: each thread has read what it read before, so it
 * does what it did before.  Reads that are not frozen may have seen anything.
 *
 * A feasible answer has the sequence, its witness.  Infeasible is a proof; unknown means that a budget was
 * used up, or that the engine cannot tell.
 */
#ifndef HEDDLE_ORACLE_QUESTION_H
#define HEDDLE_ORACLE_QUESTION_H

#include "oracle/history.h"

/*
 * A read of a variable that must see this write (OP_NONE: the initial content), or, by_value, any write of
 * this value.  What depends on a read that must see another value than it saw cannot happen any more.
 */
struct question_sight {
	op_id read;
	uint32_t variable;
	op_id write;
	bool by_value;
	uint64_t value;
};

struct question {
	VEC(op_id) include;		/* must happen */
	VEC(struct op_order) orders;	/* both must happen, in this order */
	VEC(struct op_order)
	adjacent; /* both must happen, nothing between them; no operation is in two such pairs */
	/*
	 * The thread does everything before this operation and is about to do it: its arguments are what they
	 * were, and it has not happened.  At most one for each thread.
	 */
	VEC(op_id) pending;
	VEC(struct question_sight) sights;
	VEC(op_id) loose;		/* reads on which nothing depends, whatever their guard says */
	bool same_values;
};

void question_release(struct question *q);
/* Orders between neighbours of a sequence. */
void question_add_sequence(struct question *q, const op_id *ops, size_t count);

enum verdict { VERDICT_FEASIBLE, VERDICT_INFEASIBLE, VERDICT_UNKNOWN };

struct answer {
	enum verdict verdict;
	op_id prefix;		/* the witness begins with all operations before this one, as in the trace; */
	VEC(op_id) witness;	/* and these follow */
	const char *why;	/* of an unknown verdict: a clause, never freed */
	uint32_t attempts;	/* closure: how many sets were tried; solver: how many models */
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
 * Is this sequence an execution as described above that fulfils the demands?  NULL, or what is wrong, as a
 * clause.  The checker shares no code with the engines.  O(length of the sequence and of the question).
 */
const char *witness_flaw(const struct history *h, const struct question *q, const op_id *sequence,
			 size_t count);
/* The same for a sequence that begins with all operations before `prefix`, in their order. */
const char *witness_flaw_after(const struct history *h, const struct question *q, op_id prefix,
			       const op_id *sequence, size_t count);

#endif
