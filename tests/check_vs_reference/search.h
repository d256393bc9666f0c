/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches over the reference's moves: all outcomes by remembering states; random walks; all
 * schedules one by one, with their equivalence classes.  And sets of outcomes, which is what
 * everything else is compared by.
 */
#ifndef CHECK_SEARCH_H
#define CHECK_SEARCH_H

#include "machine.h"

struct outcome {
	uint8_t end;	/* enum ending, or END_SIGNAL */
	uint8_t status; /* END_EXIT: exit status, END_SIGNAL: number */
	uint8_t written;
	uint8_t output[OUTPUT_MAX];
};
enum { END_SIGNAL = ENDINGS, END_HANGS };

/* Sorted, each once. */
struct outcomes {
	struct outcome *list;
	unsigned count, room;
};
void outcomes_add(struct outcomes *o, const struct outcome *x);
bool outcomes_have(const struct outcomes *o, const struct outcome *x);
bool outcomes_end_with(const struct outcomes *o, enum ending end);
void outcomes_print(const struct outcomes *o, FILE *out, const char *before);
/* One line of outcomes_print without what stands before it. */
bool outcome_parse(struct outcome *x, const char *text);
void outcomes_release(struct outcomes *o);

/* False: more than `limit` states.  *states is set in any case. */
bool search_outcomes(const struct machine *m, uint64_t limit, struct outcomes *o, uint64_t *states);
/* One walk, every move drawn with equal chance.  False: it has not ended after some thousand moves.
 */
bool search_walk(const struct machine *m, uint64_t *random, struct outcome *x);
/*
 * Every schedule, and how many classes they form.  False: more than `limit` schedules, or a
 * schedule that never ends.  `o` may be NULL.
 */
bool search_schedules(const struct machine *m, uint64_t limit, struct outcomes *o,
		      uint64_t *schedules, uint64_t *classes);

uint64_t random_next(uint64_t *state);

#endif
