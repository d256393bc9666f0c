/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiny random traces, written as STD or with events of our own, and everything that can go wrong
 * in other executions of them, found by trying all of these.  It shares no code with what it is
 * compared to: it knows operations, not histories, indexes or questions.
 */
#ifndef HEDDLE_TESTS_TINY_H
#define HEDDLE_TESTS_TINY_H

#include "base/buf.h"
#include "base/vec.h"
#include "simulate.h"
#include "trace/trace.h"

#define TINY_OPS 56
#define TINY_THREADS 4
#define TINY_VARIABLES 3
#define TINY_LOCKS 3

enum tiny_kind {
	TINY_READ,
	TINY_WRITE,
	TINY_ACQUIRE,
	TINY_RELEASE,
	TINY_FORK,
	TINY_JOIN,
	TINY_BEGIN,
	TINY_END,
	TINY_BRANCH,
	TINY_WAIT,
	TINY_WAKE,
	TINY_SIGNAL,
	TINY_BROADCAST
};

struct tiny_op {
	uint8_t kind, thread, object;
	uint8_t value; /* that was read or written */
	/* read: the write, -1 the initial content; wake: the signal or broadcast */
	int16_t saw;
	uint32_t place;
	uint8_t woken; /* signal: the thread that it wakes, plus one */
};

/* How places are given. */
enum tiny_places { TINY_BY_LINE, TINY_BY_OPERATION, TINY_ALL_EQUAL, TINY_MISSING, TINY_PLACES };

struct tiny {
	struct tiny_op ops[TINY_OPS];
	uint32_t count, threads;
	enum tiny_places places;
	bool has_conditions; /* it cannot be said in STD */
	bool has_values;     /* few values, so that different writes may leave the same one */
	bool has_branches, has_begins, has_names;
};

void tiny_generate(struct tiny *t, struct sim_random *r, uint32_t size);
/* The lines of STD. */
void tiny_std(const struct tiny *t, struct buf *out);
/* Events of our own; closes the writer.  Errors: those of writing. */
int tiny_write(const struct tiny *t, struct trace_writer *w, struct err *err);

struct tiny_truth {
	uint64_t races[TINY_OPS]; /* by operation: with which others, as bits */
	VEC(uint64_t) deadlocks;  /* sets of operations that wait in a cycle, as bits */
	bool is_full;		  /* there were too many states */
};

void tiny_truth(const struct tiny *t, struct tiny_truth *out);

#endif
