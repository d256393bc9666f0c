/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pair of actions of two threads that is reported, or may be.  The younger action is the one
 * that its thread is doing now; the older one is described by struct past, as far as it is still
 * known.
 */
#ifndef HEDDLE_RUN_FOUND_H
#define HEDDLE_RUN_FOUND_H

#include <stdbool.h>
#include <stdint.h>

struct thr;

enum found_kind {
	FOUND_RACE,
	FOUND_USE_AFTER_FREE,
	FOUND_DOUBLE_FREE,
	FOUND_LOST_SIGNAL, /* a signal that may come before the wait */
	FOUND_DESTROY_IN_USE,
	FOUND_CLOSE_IN_USE,
	FOUND_DOUBLE_CLOSE,
	FOUND_LOCK_ORDER,
};

enum found_status {
	FOUND_HAPPENED,	 /* in this very run: an actual use after free */
	FOUND_UNORDERED, /* happens-before does not relate the two */
	FOUND_PREDICTED, /* only happens-before relates them */
	FOUND_POTENTIAL, /* no evidence that it can happen: lock orders */
};

enum act {
	ACT_READ,
	ACT_WRITE,
	ACT_FREE,
	ACT_LOCK,
	ACT_UNLOCK,
	ACT_WAIT,
	ACT_SIGNAL,
	ACT_USE,
	ACT_DESTROY,
	ACT_CLOSE
};

/* The older action. */
struct past {
	uint32_t stamp;
	uint16_t slot;
	uint32_t epoch;
	enum act act;
	bool is_atomic;
	uint32_t stack; /* 0: the history has it */
	uintptr_t address;
	unsigned size;
};

struct found {
	enum found_kind kind;
	enum found_status status;
	bool is_locked; /* both under a common lock: decided when it was released */
	uintptr_t address;
	unsigned size;
	struct thr *thr; /* of the younger action, and so are the next four */
	enum act act;
	bool is_atomic;
	uint32_t epoch, stack;
	struct past past;
};

/* Defined by report.c, and by the drivers of the tests. */
void run_found(const struct found *f);

#endif
