/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle's abstraction of a trace: operations of threads, and the constraints between them.
 * It is made from a trace (from_trace.h) or, in tests, by hand.  Everything that does not concern
 * the order is left out: addresses, sizes, places, memory that only one thread uses.
 *
 *   access     reads, writes, or atomically reads and writes (an rmw) one or more variables.  Two
 *              accesses conflict exactly if they share a variable.  Each read has the operation
 *              whose write it saw; OP_NONE is the initial content.
 *   acquire    acquires a lock, exclusively or shared; match is its release, OP_NONE if the trace
 *              has none. Of a recursive lock only the outermost acquire is an operation.
 *              Sections need not be nested.
 *   release    releases it
 *   other      requests, and other events that matter only by their place in the thread and by
 *              orders
 *
 * A read is *frozen* once its thread reaches position `guard`: the operation there depends on the
 * value read. Before that the read may see any write.
 *
 * Orders hold in every execution: a fork before the first operation of the new thread, a signal
 * before the wake that it caused.  A *cause* must happen for its effect to happen.  The other
 * kind of order only holds if both operations happen.
 *
 * Operations are numbered in trace order.  A set of operations is given by the number of
 * operations that each thread has done.
 */
#ifndef HEDDLE_ORACLE_HISTORY_H
#define HEDDLE_ORACLE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

typedef uint32_t op_id;
#define OP_NONE UINT32_MAX
#define GUARD_NEVER UINT32_MAX

enum op_kind { OP_OTHER, OP_ACCESS, OP_ACQUIRE, OP_RELEASE };

struct op {
	uint32_t thread;
	uint32_t own;	/* position in its thread */
	uint32_t event; /* in the trace; the number of the operation if there is no trace */
	uint32_t guard; /* position in the thread from which on its reads are frozen */
	uint32_t lock;
	op_id match;
	uint32_t first_access, accesses; /* in history.accesses */
	uint32_t first_cause, causes;	 /* in history.causes; after history_finish */
	uint8_t kind;			 /* enum op_kind */
	bool is_shared;			 /* of a lock: acquired in shared mode */
	bool gives_up;			 /* acquire, join, wait: it may time out or fail */
};

struct op_access {
	op_id op;
	uint32_t variable;
	op_id seen; /* source of a read */
	bool reads, writes;
	/* after history_finish(): another write wrote the value that was read */
	bool has_twin;
	uint64_t value; /* that was read */
	uint64_t written;
};

struct op_order {
	op_id before, after;
};

/* The operations of one thread on one variable or lock: positions in the thread, ascending. */
struct history_run {
	uint32_t thread;
	uint32_t first, count; /* in history.positions */
};

struct history {
	VEC(struct op) ops;
	VEC(struct op_access) accesses;
	VEC(struct op_order) causes; /* sorted by effect after history_finish */
	/* those that hold only if both happen; sorted by `after`, too */
	VEC(struct op_order) orders;
	uint32_t threads, variables, locks;
	bool has_values; /* value and written of accesses are known */

	/* After history_finish. */
	uint32_t *thread_first; /* threads + 1, into thread_ops */
	op_id *thread_ops;
	VEC(struct history_run) runs;
	VEC(uint32_t) positions;
	/* variables + 1, into runs: the writes of the variable, by thread */
	uint32_t *writers;
	/* by variable: an access that read its initial content; UINT32_MAX: none did */
	uint32_t *initial;
	uint32_t *takers; /* locks + 1, into runs: the acquires of the lock, by thread */
};

/* The zero state is empty.  Operations are added in the order of the trace; then the history is
 * finished. */
op_id history_add(struct history *h, uint32_t thread, enum op_kind kind);
/* The next acquire or release of a lock; a release is matched with the thread's last acquire of it.
 */
op_id history_add_lock(struct history *h, uint32_t thread, uint32_t lock, bool is_shared,
		       bool is_acquire);
/* Add an access to the operation that was added last. */
struct op_access *history_add_access(struct history *h, uint32_t variable, bool reads, bool writes);
void history_add_cause(struct history *h, op_id cause, op_id effect);
void history_add_order(struct history *h, op_id before, op_id after);
void history_finish(struct history *h);
void history_release(struct history *h);

static inline uint32_t history_length(const struct history *h, uint32_t thread)
{
	return h->thread_first[thread + 1] - h->thread_first[thread];
}

static inline op_id history_op(const struct history *h, uint32_t thread, uint32_t own)
{
	return h->thread_ops[h->thread_first[thread] + own];
}

/*
 * In a run: the last position before `limit`, or the first that is not before it; UINT32_MAX if
 * there is none.
 */
uint32_t history_last_before(const struct history *h, const struct history_run *r, uint32_t limit);
uint32_t history_first_from(const struct history *h, const struct history_run *r, uint32_t limit);

/* The first of the orders whose later operation is not before this one. */
size_t history_orders_from(const struct history *h, op_id after);

/* The access of an operation to a variable, NULL if it has none. */
const struct op_access *history_access(const struct history *h, op_id op, uint32_t variable);
/* The value of a write.  False for initial content (OP_NONE) that no read has seen. */
bool history_value_of(const struct history *h, op_id write, uint32_t variable, uint64_t *value);

#endif
