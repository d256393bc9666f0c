/* SPDX-License-Identifier: Apache-2.0 */
/* When two calls of one object commute: conditions, compiled to a few operations on fields. */
#ifndef HEDDLE_COMMUTE_CONDITION_H
#define HEDDLE_COMMUTE_CONDITION_H

#include "commute/spec.h"

enum condition_kind {
	CONDITION_CONSTANT, /* push value */
	CONDITION_FIELD,    /* push field `value` of call `call` */
	/* replace one or two values by the result */
	CONDITION_NOT,
	CONDITION_MINUS,
	CONDITION_OR,
	CONDITION_AND,
	CONDITION_EQUAL,
	CONDITION_UNEQUAL,
	CONDITION_LESS,
	CONDITION_AT_MOST,
	CONDITION_PLUS,
	CONDITION_TIMES,
};

struct condition_op {
	int64_t value;
	enum condition_kind kind;
	unsigned call;
};

struct condition {
	VEC(struct condition_op) ops; /* none: it always holds */
};

/* False: it is too deep. */
bool condition_compile(const struct spec_pair *pair, struct condition *out);
void condition_release(struct condition *c);
/*
 * Whether two calls of a pair commute, the first of the pair's first method.  For two calls of one
 * method it must hold both ways: a condition says nothing about which call is which.
 */
bool condition_commutes(const struct spec_pair *pair, const struct condition *c,
			const int64_t *first, const int64_t *second);

#endif
