/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the conditions of an object are right for its sequential model, by trying both orders of
 * each two calls in every state that a few calls with small arguments lead to.
 */
#ifndef HEDDLE_COMMUTE_VERIFY_H
#define HEDDLE_COMMUTE_VERIFY_H

#include "commute/spec.h"

struct verify_limits {
	int64_t values; /* of an integer argument: 0 up to one less */
	unsigned calls; /* that lead to a state, at most */
	uint64_t tests; /* about so many pairs of calls are tried, at most */
};

enum verify_kind {
	VERIFY_WRONG, /* the condition holds, and the calls do not commute */
	/* it does not hold, and the calls commute in every state in which they were tried */
	VERIFY_WEAKER,
};

/* At most one of a kind for two methods: of all the one with the fewest calls before it. */
struct verify_note {
	enum verify_kind kind;
	struct spec_place place; /* of the condition, or of the method if there is none */
	char *text;
};

struct verify_result {
	VEC(struct verify_note) notes;
	size_t states, calls;
	uint64_t tests;
};

/* Errors: ERR_SUPPORT, a condition is too large. */
int verify_object(const struct spec_object *o, const char *path, struct verify_limits limits,
		  struct verify_result *r, struct err *err);
void verify_release(struct verify_result *r);

/* Two calls by their fields, the first of method number `first`, which is not above `second`. */
typedef void verify_take(void *arg, unsigned first, unsigned second, const int64_t *a,
			 const int64_t *b, bool commutes);
/* Gives every two labels that came one after the other, in either order, and whether they commuted
 * wherever they did.  Conditions are not looked at.  Errors: as verify_object(). */
int verify_samples(const struct spec_object *o, const char *path, struct verify_limits limits,
		   verify_take *take, void *arg, struct err *err);

#endif
