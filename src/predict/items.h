/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates with the same places are an item: they become one claim or none, so an item is what
 * is asked as a whole.  Items do not depend on each other, so that several processes can ask them
 * (parallel.c).  Private to src/predict.
 */
#ifndef HEDDLE_PREDICT_ITEMS_H
#define HEDDLE_PREDICT_ITEMS_H

#include "predict/finder.h"

struct item_result {
	bool is_asked; /* completely */
	/* that the shortest witness is of; UINT32_MAX: none is feasible */
	uint32_t candidate;
	bool same_values;   /* of its question */
	uint32_t witnesses; /* that were found */
	uint64_t questions, infeasible, unknown, left_out;
	struct answer answer;
};

struct item {
	size_t first, count; /* in finder.candidates, the nearest first */
	struct item_result result;
};

struct items {
	VEC(struct item) list;
};

/* Sort the candidates into items: races first, near ones first. */
void items_make(struct items *all, struct finder *f);
void items_release(struct items *all);
/* Ask about the candidates of an item until there are witnesses enough; false if the time was
 * over before. */
bool item_ask(struct finder *f, struct item *item);
/*
 * Ask about items from `first` to before `last`, with as many processes as the options say.  What
 * was not asked when the time was over is left as it is.
 */
void items_ask(struct finder *f, struct items *all, size_t first, size_t last);

#endif
