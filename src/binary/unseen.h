/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a program's own code that are not instrumented, from its machine code: functions
 * that access memory without hooks (compiled without heddle, or with instrumentation switched
 * off), and instructions of inline assembly.  A verdict about all schedules assumes that they do
 * not affect the result.
 */
#ifndef HEDDLE_BINARY_UNSEEN_H
#define HEDDLE_BINARY_UNSEEN_H

#include <stdint.h>

#include "base/vec.h"
#include "binary/image.h"
#include "base/words.h"

struct unseen {
	/* without hooks, and with accesses to memory that may be shared */
	struct words functions;
	VEC(uint64_t) assembler; /* addresses after instructions of inline assembly */
	struct words random;	 /* functions that ask the processor for random numbers */
	struct words levels;	 /* "-O2": optimisation levels of parts; empty: not recorded */
};

void unseen_collect(const struct image *img, struct unseen *u);
void unseen_release(struct unseen *u);

#endif
