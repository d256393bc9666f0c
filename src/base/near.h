/* SPDX-License-Identifier: Apache-2.0 */
/* Which known word a user may have meant by one that is unknown. */
#ifndef HEDDLE_NEAR_H
#define HEDDLE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

/* How many characters must be inserted, deleted or replaced to turn one word into the other. */
size_t edit_distance(const char *a, const char *b);
/*
 * A known word may be meant by an unknown one: it contains it (at least three characters), or it differs in
 * at most a third of its characters.
 */
bool is_near(const char *unknown, const char *known);

#endif
