/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries whose locks and queues are made of atomic instructions and futexes in code without
 * hooks.  What they order looks unordered, so programs that use them get reports of races that are
 * none.
 */
#ifndef HEDDLE_BINARY_OWN_LOCKS_H
#define HEDDLE_BINARY_OWN_LOCKS_H

#include "base/buf.h"
#include "binary/image.h"

/* A sentence, without newline, that names such libraries of an executable; nothing is appended if
 * it needs none. */
void own_locks_describe(const struct image *img, struct buf *out);
/* The same for a file; what is no ELF file has none. */
void own_locks_describe_file(const char *path, struct buf *out);

#endif
