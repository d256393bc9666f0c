/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data flow of the values that choices return (heddle_choose(), the __VERIFIER_nondet_ functions
 * of integers), from the machine code of a program.  The result lists the choices whose value is,
 * on every path, dropped or stored only in memory whose write a hook reports, and those write
 * hooks.  The rest of the execution depends on the value of such a choice only if that memory is
 * read.
 */
#ifndef HEDDLE_BINARY_CHOICE_FLOW_H
#define HEDDLE_BINARY_CHOICE_FLOW_H

#include "binary/code.h"

/* Addresses are return addresses of calls. */
struct choice_store {
	uint64_t choice;
	uint64_t write; /* of the write hook */
	/* the stored value is always the thread's latest from this choice */
	bool is_latest;
};

struct choice_flow {
	/* sorted; the value of a choice without stores is dropped */
	struct addresses choices;
	VEC(struct choice_store) stores; /* each pair once */
};

/* Errors: ERR_INTERNAL. */
int choice_flow_find(const struct image *img, struct choice_flow *out, struct err *err);
void choice_flow_release(struct choice_flow *a);

#endif
