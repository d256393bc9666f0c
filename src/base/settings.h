/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the settings of an execution (wire/wire.h), as options, traces, witnesses and reports
 * spell them. Each table is indexed by its enumeration and ends with NULL.
 */
#ifndef HEDDLE_BASE_SETTINGS_H
#define HEDDLE_BASE_SETTINGS_H

#include <stddef.h>

#include "base/buf.h"

extern const char *const memory_names[];  /* enum wire_memory */
extern const char *const memory_titles[]; /* the same for sentences: "TSO" */
extern const char *const heap_names[];	  /* enum wire_heap */
extern const char *const backend_names[]; /* enum wire_backend */

/* Index of a name in such a table; -1 if it is not there. */
int name_index(const char *const *names, const char *name, size_t len);
/* Append the names of a table: "sc, tso or pso". */
void name_list(const char *const *names, struct buf *out);

#endif
