/* SPDX-License-Identifier: Apache-2.0 */
/* Random interleavings for the analysis of `heddle run`, and what both sides report of one. */
#ifndef HEDDLE_TEST_RUN_TRACE_H
#define HEDDLE_TEST_RUN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#define THREADS 4
#define LOCKS 4
#define VARS 8 /* 0 and 1 lie in the same eight bytes; the last are blocks that may be freed */
#define BLOCKS 4
#define OBJECTS 2 /* of hard edges */
#define EVENTS 80

enum op { READ, WRITE, FREE, ACQUIRE, ACQUIRE_READ, RELEASE, SEND, RECEIVE };

struct event {
	int thread;
	enum op op;
	int what; /* variable, lock or object */
};

struct trace {
	int count;
	struct event at[EVENTS];
};

enum { RACE_SEEN, RACE_PREDICTED, UAF_SEEN, UAF_PREDICTED, KINDS };

/* Which pairs were reported; races without regard to which of the two came first. */
struct reports {
	bool has[KINDS][VARS][THREADS][THREADS];
};

static inline void report(struct reports *r, int kind, int var, int older, int younger)
{
	r->has[kind][var][older][younger] = true;
	if (kind == RACE_SEEN || kind == RACE_PREDICTED)
		r->has[kind][var][younger][older] = true;
}

/* The reference (reference.c) and the analysis itself (online.c). */
void reference_run(const struct trace *t, bool leaves_out, struct reports *r);
void online_run(const struct trace *t, struct reports *r, unsigned sections_kept, bool sees_writes);
extern const bool online_is_unlimited;

#endif
