/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files. */
#ifndef HEDDLE_FILE_H
#define HEDDLE_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Append the content of a file to out; ERR_IO with the path and the system's reason. */
int file_read(const char *path, struct buf *out, struct err *err);
/* Write a file completely or not at all (temporary name, then rename); ERR_IO.  "-" is standard output. */
int file_write(const char *path, const void *bytes, size_t len, struct err *err);
/* Make an empty file of its own name in TMPDIR, or /tmp, and append its path; ERR_IO. */
int file_temporary(struct buf *path, struct err *err);
/* Write everything that can be read from one file ("-": standard input) to another.  Errors: ERR_IO. */
int file_copy(const char *from, const char *to, struct err *err);
/* Write all bytes to a descriptor; 0 or a negated errno. */
int file_write_fd(int fd, const void *bytes, size_t len);
/* Where a file that belongs to heddle is: beside the tool's own, or in ../lib/heddle; ERR_SUPPORT if in
 * neither. */
int file_find_own(const char *name, struct buf *path, struct err *err);

#endif
