/* SPDX-License-Identifier: Apache-2.0 */
/* Buffered input that counts bytes and lines: files, pipes, standard input.  Private to src/trace.
 */
#ifndef HEDDLE_TRACE_INPUT_H
#define HEDDLE_TRACE_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct input {
	char *path; /* as messages name it */
	int fd;
	uint64_t offset;  /* of the next byte that will be taken */
	uint64_t line;	  /* lines taken */
	bool at_eof;	  /* read() reported it; unread bytes may be left in `ahead` */
	struct buf ahead; /* read from the system, taken up to `taken` */
	size_t taken;
};

/* "-" is standard input.  Errors: ERR_IO. */
int input_open(struct input *in, const char *path, struct err *err);
void input_close(struct input *in);
/* Take up to len bytes to `to`; fewer only at the end of the file.  Errors: ERR_IO. */
int input_take(struct input *in, void *to, size_t len, size_t *got, struct err *err);
/* The next bytes, without taking them: up to len, at most 64. */
int input_peek(struct input *in, size_t len, const char **bytes, size_t *got, struct err *err);
/*
 * Take a line, without its newline and ended by NUL; valid until the next call.  1; 0 if the file
 * ends before a newline (then *line has the remaining *len bytes); ERR_FORMAT if the line has
 * more than max bytes; ERR_IO.
 */
int input_line(struct input *in, size_t max, char **line, size_t *len, struct err *err);

#endif
