/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of strings: command lines, names of functions and libraries. */
#ifndef HEDDLE_BASE_WORDS_H
#define HEDDLE_BASE_WORDS_H

#include <stdbool.h>

#include "base/vec.h"

/* Owned strings in order. */
struct words {
	VEC(char *) list;
};

void words_add(struct words *w, const char *word);
void words_take(struct words *w, char *word); /* w takes ownership of word */
bool words_contain(const struct words *w, const char *word);
void words_release(struct words *w);

#endif
