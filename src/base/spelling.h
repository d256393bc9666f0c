/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions for misspelt words. */
#ifndef HEDDLE_SPELLING_H
#define HEDDLE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* Levenshtein distance: insertions, deletions and replacements that turn one word into the other.
 */
size_t edit_distance(const char *a, const char *b);
/*
 * Whether `known` is a plausible correction of `unknown`: it contains `unknown` (of at least three
 * characters), or their distance is at most a third of the length of `known`.
 */
bool spelling_is_close(const char *unknown, const char *known);

#endif
