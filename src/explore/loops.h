/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that wait, which become known during a search (rt/await_loop.c): it begins again with
 * them.
 */
#ifndef HEDDLE_EXPLORE_LOOPS_H
#define HEDDLE_EXPLORE_LOOPS_H

#include "explore/explore.h"

void loops_note(struct explore_result *r, const struct wire_loop_hook *hook);
/* Whether the result has one that is not known, and there is room for it. */
bool loops_are_new(const struct explore_result *r, const struct wire_divided *d);
void loops_learn(const struct explore_config *c, const struct explore_result *r);
uint64_t loops_age(const struct wire_divided *d); /* of the last one; 0: none is known */
/* Forget those that became known after that age. */
void loops_forget(struct wire_divided *d, uint64_t age);
void loops_save(const struct wire_divided *d, struct buf *out);
void loops_load(struct wire_divided *d, struct bytes *in);

#endif
