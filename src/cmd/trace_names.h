/* SPDX-License-Identifier: Apache-2.0 */
/* Names of objects in a trace, from the symbols of the program if its file is there; for the
 * subcommands of trace. */
#ifndef HEDDLE_TRACE_NAMES_H
#define HEDDLE_TRACE_NAMES_H

#include "base/map.h"
#include "exec/source.h"
#include "trace/trace.h"

/* The zero state knows nothing yet. */
struct trace_names {
	struct source *source;
	struct map known; /* address to index in names */
	VEC(char *) names;
};

/* The name of what is at an address: "balance", "table+16", "V3" of an imported trace, "heap
 * 1+0x40".  Kept by n. */
const char *trace_names_object(struct trace_names *n, const struct trace_tables *t,
			       uint64_t address);
/* Is this the name of what is at the address, or of the object around it, or the address itself
 * as a number? */
bool trace_names_match(struct trace_names *n, const struct trace_tables *t, uint64_t address,
		       const char *wanted);
void trace_names_release(struct trace_names *n);

#endif
