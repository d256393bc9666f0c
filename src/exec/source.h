/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What debug information and symbols say about a module: source positions of code, names of data, build-id.
 * Modules are opened on first use and kept.  Files are named by absolute paths without "." and ".." parts.
 */
#ifndef HEDDLE_SOURCE_H
#define HEDDLE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "trace/event.h"

struct source;

struct source *source_new(void);
void source_free(struct source *s);

/*
 * Fill function, file, line and column of l from its offset, which is the return address of a call in
 * `module`: the position is that of the call.  The innermost inlined function is named if there is one.
 * Strings are new.
 */
void source_resolve(struct source *s, const struct region *module, struct location *l);

/* Append the name of a global at this offset of a module, with "+n" if it lies inside; false if there is
 * none. */
bool source_data_name(struct source *s, const struct region *module, uint64_t offset, struct buf *out);

/* Build-id of a file in hexadecimal, "" if it has none; the caller frees it. */
char *source_build_id(struct source *s, const char *path);

#endif
