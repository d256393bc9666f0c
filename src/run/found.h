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

#include "wire/finding.h"

struct thr;

/* The older action. */
struct past {
	uint32_t stamp;
	uint16_t slot;
	uint32_t epoch;
	enum finding_act act;
	bool is_atomic;
	uint32_t stack; /* 0: the history has it */
	uintptr_t address;
	unsigned size;
};

struct found {
	enum finding_kind kind;
	enum run_status status;
	bool is_locked;	 /* both under a common lock: decided when it was released */
	uint32_t object; /* enum object_kind of what is at the address; 0: not said */
	uintptr_t address;
	unsigned size;
	struct thr *thr; /* of the younger action, and so are the next four */
	enum finding_act act;
	bool is_atomic;
	uint32_t epoch, stack;
	struct past past;
};

/* Defined by report.c, and by the drivers of the tests. */
void run_found(const struct found *f);

#endif
