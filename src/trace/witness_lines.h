/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a witness file, and the forms of which a line consists.  The input is untrusted:
 * each line_take_...() consumes one form from the current line, or says that it is not there;
 * then it may have consumed a part of it, and the line is rejected.
 */
#ifndef HEDDLE_TRACE_WITNESS_LINES_H
#define HEDDLE_TRACE_WITNESS_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct line_reader {
	const char *name;
	const char *at;	  /* next byte of the current line */
	const char *end;  /* of the current line */
	const char *rest; /* the lines after it */
	const char *stop;
	unsigned long line;
	struct err *err;
};

int line_reject(const struct line_reader *p, const char *what);
bool line_next(struct line_reader *p);
/* Consumes a fixed text, or nothing. */
bool line_take_text(struct line_reader *p, const char *text);
bool line_take_number(struct line_reader *p, uint64_t limit, uint64_t *out);
bool line_take_hash(struct line_reader *p, uint64_t *out);
/* Bytes in quotes. */
bool line_take_bytes(struct line_reader *p, struct buf *out);
/* The same without NUL, so that the result is a C string of the same bytes. */
bool line_take_quoted(struct line_reader *p, struct buf *out);
char *line_take_string(struct line_reader *p);
char *line_take_word(struct line_reader *p);

#endif
