/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information and symbols of modules: source positions of code, names of data, build-id.
 * Modules are opened on first use and cached.  File names are absolute paths without "." and ".."
 * parts.
 */
#ifndef HEDDLE_SOURCE_H
#define HEDDLE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "exec/locals.h"
#include "trace/event.h"

struct source;

struct source *source_new(void);
void source_free(struct source *s);

/*
 * Fill function, file, line and column of l from its offset, which is the return address of a
 * call in `module`; the position is that of the call.  Depth 0 is the innermost function; depth n
 * is the function into which n functions were inlined there, at the position of the inlined call.
 * False: there are fewer functions.  Strings are newly allocated, or NULL if unknown.
 */
bool source_resolve(struct source *s, const struct region *module, unsigned depth,
		    struct location *l);

/* Append the name of the global at this offset of a module, with "+n" for an offset inside it;
 * false if there is none. */
bool source_data_name(struct source *s, const struct region *module, uint64_t offset,
		      struct buf *out);

/*
 * The local variable with the byte `at` in the frame of the function at this offset of a module,
 * as in locals_find(); false: no such variable is known.  The source owns its name.
 */
bool source_local(struct source *s, const struct region *module, uint64_t offset, int64_t at,
		  int64_t size, struct local *out);

/* Build-id of a file in hexadecimal, "" if it has none; the caller frees it. */
char *source_build_id(struct source *s, const char *path);

#endif
