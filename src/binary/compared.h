/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers that a program's own code compares something with, read from its machine code.  They are a
 * help to choose inputs; nothing rests on their being all.
 */
#ifndef HEDDLE_BINARY_COMPARED_H
#define HEDDLE_BINARY_COMPARED_H

#include "binary/calls.h"
#include "wire/nondet.h"

struct compared {
	VEC(struct nondet_compared) list;	/* each once, in the order of the code */
};

/* Adds those of all code of the file that may call hooks. */
void compared_collect(const struct calls *calls, struct compared *out);
void compared_release(struct compared *c);

#endif
