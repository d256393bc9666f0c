/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Response files: @FILE on a compiler's command line stands for the words in FILE, separated by
 * white space, with single quotes, double quotes and backslash as in gcc.  An @FILE that cannot
 * be read stays a word of its own.
 */
#ifndef HEDDLE_CC_RESPONSE_H
#define HEDDLE_CC_RESPONSE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"

/* Split text into words by the same rules; also the form in which `cc -###` prints commands. */
void response_split(const char *text, size_t len, struct words *out);
/* Append word, or the words of its response file.  Errors: ERR_USAGE for a file that includes
 * itself. */
int response_expand(const char *word, struct words *out, struct err *err);
/* One word in quotes, as response_split reads it. */
void response_quote(const char *word, struct buf *out);

#endif
