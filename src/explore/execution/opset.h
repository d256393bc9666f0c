/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a move did: its visible operations and choices, with their footprints, and which sets
 * depend on each other.  Sets do not change once they are made and are shared by counting
 * references: a move, the sleep sets and the wake-up trees that mention it have the same one.
 *
 * A *predicted* set is that of a move which a plan makes in another state than the one in which it
 * was executed, so that it may do something else: a compare-exchange that failed may succeed, a
 * try that failed may get the lock.  Its footprints are over-approximated: they cover everything
 * that the move could do there.  It has no choices except those that the plan demands.
 */
#ifndef HEDDLE_EXPLORE_EXECUTION_OPSET_H
#define HEDDLE_EXPLORE_EXECUTION_OPSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "wire/depend.h"

/* Another thread that waits in the cycle that a move closes. */
struct ask {
	uint32_t thread;
	uint64_t hook; /* its step in which it waits; NO_STEP: its request was a move */
};
#define NO_STEP UINT64_MAX

struct opset {
	uint32_t refs;
	uint32_t count;	  /* of ops; prints has one for each */
	uint32_t choices; /* how many of the ops are choices */
	bool is_predicted;
	/* if predicted: whether the thread, which awaits a change, can go on there is not known */
	bool is_unsure;
	/* if predicted: the thread can go on from its await, but what it does then is not known: it
	 * may have to wait for something else */
	bool is_open_ended;
	bool is_wild; /* depends on everything */
	/* one of the ops is a store in a buffer, or frees memory (depend.h) */
	bool needs_life, ends_life;
	bool is_cut;	    /* ends the execution before others are through */
	uint64_t signature; /* sets without a common bit are independent */
	uint64_t hash;	    /* of the ops */
	uint32_t waits_count;
	/* steps in which the thread waits and times out, before and in the move */
	uint64_t *waits;
	uint32_t asks_count;
	/* threads whose requests come before: a request is no move, but the one that closes the
	 * deadlock cycle fails */
	struct ask *asks;
	struct footprint *prints;
	struct wire_op ops[];
};

/* Whether it is predicted and may turn out to be impossible. */
static inline bool opset_is_trial(const struct opset *s)
{
	return s->is_unsure || s->is_open_ended;
}

/* Keeps those operations that others can see, and choices. */
struct opset *opset_new(const struct wire_op *ops, size_t count, const uint64_t *waits,
			size_t waits_count);
/* The same of a move that closes a deadlock cycle. */
struct opset *opset_new_closing(const struct wire_op *ops, size_t count, const uint64_t *waits,
				size_t waits_count, const struct ask *asks, size_t asks_count);
/* The hash that the set of these operations would have. */
uint64_t opset_hash(const struct wire_op *ops, size_t count);
/*
 * The set that is predicted for the same move in another state.  The plan demands the first `keep`
 * of its choices again.  If one of its operations could time out, the move may wait and time out in
 * step `hook`.
 */
struct opset *opset_new_predicted(const struct opset *s, uint32_t keep, uint64_t hook);
/* A predicted set in which choice number `which` is `value`; the choices before it are those of
 * `s`, and those after it are open. */
struct opset *opset_new_alternative(const struct opset *s, uint32_t which, uint64_t value);
struct opset *opset_ref(struct opset *s);
/* A copy for another thread of the tool: reference counts are not atomic. */
struct opset *opset_copy(const struct opset *s);
void opset_drop(struct opset *s); /* accepts NULL */
void opset_save(const struct opset *s, struct buf *out);
struct opset *opset_load(struct bytes *in); /* NULL: there is none, in.is_bad */

/* Whether the operation is visible to other threads, is a choice, is a store whose flush will be
 * visible, or orders flushes. */
bool op_is_kept(const struct wire_op *op);
bool opsets_depend(const struct opset *a, const struct opset *b);
/* Whether the predicted set uses memory and objects otherwise than the move itself did. */
bool opset_differs(const struct opset *predicted, const struct opset *real);
bool opset_writes_output(const struct opset *s);
/* The choice of that number; NULL if there are fewer. */
const struct wire_op *opset_choice(const struct opset *s, uint32_t number);
/* Whether the choices of one begin as all those of the other. */
bool opset_choices_begin(const struct opset *whole, const struct opset *beginning);

#endif
