/* SPDX-License-Identifier: Apache-2.0 */
/* Paths and whole files. */
#ifndef HEDDLE_FILE_H
#define HEDDLE_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* The part of a path after its last slash; the whole path if it has none. */
const char *file_base_name(const char *path);
/* Append the content of a file to out; ERR_IO with the path and the system's reason. */
int file_read(const char *path, struct buf *out, struct err *err);
/* Write a file completely or not at all (temporary name, then rename); ERR_IO.  "-" is standard
 * output. */
int file_write(const char *path, const void *bytes, size_t len, struct err *err);
/* Create an empty file with a unique name in TMPDIR, or /tmp, and append its path; ERR_IO. */
int file_temporary(struct buf *path, struct err *err);
/* Copy one file ("-": standard input) to another.  Errors: ERR_IO. */
int file_copy(const char *from, const char *to, struct err *err);
/* Write all bytes to a descriptor; 0 or a negated errno. */
int file_write_fd(int fd, const void *bytes, size_t len);
/* Find a file that heddle installs: in the directory of the tool itself, or in ../lib/heddle.
 * Errors: ERR_SUPPORT if it is in neither. */
int file_find_own(const char *name, struct buf *path, struct err *err);

#endif
