/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choices whose answers nothing depends on: one answer is tried for each.
 *
 * For some calls that choose, the program's machine code shows that the answer gets into nothing
 * but memory, and which write hooks report it (binary/choice_flow.h).  The search begins with the
 * assumption that this memory is not read: the answers of these calls are always the first one.
 * In each execution what was read is compared with where such answers, or values computed from
 * them, were stored; bytes that were overwritten hold them no more.  If one is read, by an
 * instruction of the program, a function of libc or a system call, its choice is *used*, and the
 * search begins again with all answers for it, until nothing new is used.
 *
 * Why no behaviour is lost.  Let E be any execution of the program, with any answers, and E' the
 * same with the first answer for each choice that is not known to be used.  Up to the first read
 * of such an answer both have the same operations, bytes that hold answers aside: no branch,
 * address, argument or result has got one, and no read has.  That common beginning, with the
 * read, is one of an execution with first answers only.  The last search has explored those
 * completely, and equivalent executions have the same reads: it would have seen the use.  So
 * there is none, and E has the operations, output and end of E', which was explored.
 *
 * A choice is known by its call, its thread, and how often the thread had been there; all three
 * are the same in equivalent executions, and do not depend on answers that nothing depends on.  A
 * call at which the search has begun again before is used as a whole, so a search begins again at
 * most twice for each call.
 *
 * With store buffers an old value can be seen after a newer one was stored: nothing counts as
 * overwritten.
 */
#ifndef HEDDLE_EXPLORE_EXECUTION_IDLE_H
#define HEDDLE_EXPLORE_EXECUTION_IDLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/execution.h"

/* Places are those of operations (pc of wire_op). */
struct idle_store {
	uint64_t choice, write;
	bool is_latest; /* it stores the last answer of the thread, not an earlier one */
};

struct idle_use {
	uint64_t place, key; /* key: of the call, the thread and the occurrence */
};

struct idle_worker;

struct idle {
	VEC(uint64_t) choices;	       /* sorted */
	VEC(struct idle_store) stores; /* sorted by write after idle_begin() */
	bool has_buffers;	       /* the memory model is not sequentially consistent */

	/* Private. */
	VEC(struct idle_use) used; /* key 0: all of the place */
	struct map is_used;	   /* keys, and places that are used as a whole */
	pthread_mutex_t lock;
	VEC(struct idle_use) news; /* seen since the search began; under the lock */
	struct map is_news;
	unsigned workers_count;
	struct idle_worker *workers;
};

/* After choices and stores have been filled in. */
void idle_begin(struct idle *d, unsigned workers);
void idle_release(struct idle *d);
/* An execution of that worker: choices that nothing is known to depend on become choices out of
 * one. */
void idle_look(struct idle *d, unsigned worker, struct execution *x);
/* Whether a choice was taken for idle and is not. */
bool idle_has_news(struct idle *d);
/* They count as used from now on. */
void idle_learn(struct idle *d);
void idle_save(struct idle *d, struct buf *out);
void idle_load(struct idle *d, struct bytes *in);

#endif
