/* SPDX-License-Identifier: Apache-2.0 */
/* The sequential model of an object: its abstract state, and what calls do to it. */
#ifndef HEDDLE_COMMUTE_MODEL_H
#define HEDDLE_COMMUTE_MODEL_H

#include "commute/spec.h"

#define MODEL_ITEMS_MAX 24

/*
 * A scalar, or a collection.  Sets and maps are sorted by key; a list has its values in `keys`.
 * What is not used is 0, so equal values have equal bytes.
 */
struct model_value {
	int64_t scalar;
	uint64_t count;
	int64_t keys[MODEL_ITEMS_MAX], values[MODEL_ITEMS_MAX];
};

struct model_state {
	struct model_value at[SPEC_STATES_MAX];
};

enum model_end {
	MODEL_DONE,
	MODEL_DISABLED, /* the method cannot be called in this state */
	/* a collection would have more than MODEL_ITEMS_MAX elements */
	MODEL_FULL,
};

/* The state of a new object: 0, false and empty. */
void model_begin(struct model_state *s);
/* The fields of the method: arguments are given, results become known.  The state changes only if
 * it is done. */
enum model_end model_call(const struct spec_object *o, const struct spec_method *m,
			  struct model_state *s, int64_t *fields);
bool model_is_same(const struct spec_object *o, const struct model_state *a,
		   const struct model_state *b);
uint64_t model_hash(const struct spec_object *o, const struct model_state *s);
/* As text: "elements = {1, 2}". */
struct buf;
void model_print(const struct spec_object *o, const struct model_state *s, struct buf *out);

#endif
