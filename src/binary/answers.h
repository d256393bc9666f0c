/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the answers of choices go (heddle_choose(), the __VERIFIER_nondet_ functions of integers), as far as
 * the machine code of a program shows it: calls whose answer gets, along every way, into nothing but memory
 * that hooks tell of, and the write hooks that tell of it.  What follows from such a call depends on the
 * answer only if that memory is read.
 */
#ifndef HEDDLE_BINARY_ANSWERS_H
#define HEDDLE_BINARY_ANSWERS_H

#include "binary/code.h"

/* Addresses are those behind calls. */
struct answer_store {
	uint64_t choice;
	uint64_t write;		/* of the hook */
	/* what is stored is from the last answer that the thread got there, and not from an earlier one */
	bool is_of_last;
};

struct answers {
	struct addresses choices;		/* sorted; one without stores drops its answers */
	VEC(struct answer_store) stores;	/* each pair once */
};

/* Errors: ERR_INTERNAL. */
int answers_find(const struct image *img, struct answers *out, struct err *err);
void answers_release(struct answers *a);

#endif
