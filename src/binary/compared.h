/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constants that a program's own machine code compares values with.  They are a heuristic for
 * choosing inputs: correctness does not depend on the list being complete.
 */
#ifndef HEDDLE_BINARY_COMPARED_H
#define HEDDLE_BINARY_COMPARED_H

#include "binary/calls.h"
#include "wire/nondet.h"

struct compared {
	VEC(struct nondet_compared) list; /* each once, in the order of the code */
};

/* Append the constants of all code that may call hooks. */
void compared_collect(const struct calls *calls, struct compared *out);
void compared_release(struct compared *c);

#endif
