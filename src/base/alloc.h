/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's only allocator.  Exhaustion ends the process with a message, so callers do not check.
 */
#ifndef HEDDLE_ALLOC_H
#define HEDDLE_ALLOC_H

#include <stddef.h>

void *mem_alloc(size_t size);		   /* uninitialised; size 0 gives a valid block */
void *mem_zero(size_t count, size_t size); /* zeroed array */
void *mem_resize(void *block, size_t count, size_t size);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t len);
void mem_free(void *block);

#endif
