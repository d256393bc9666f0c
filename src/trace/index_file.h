/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of an index: a header, then arrays one after the other, all little-endian and aligned
 * to 8 bytes: events, thread_first, thread_events, cells, cell_events, objects, object_events.
 * Private to src/trace.
 */
#ifndef HEDDLE_TRACE_INDEX_FILE_H
#define HEDDLE_TRACE_INDEX_FILE_H

#include "trace/index.h"

#define INDEX_MAGIC "\x89HEDIDX\n"
#define INDEX_VERSION 1

struct index_header {
	char magic[8];
	uint32_t version;
	uint32_t byte_order;  /* TRACE_BYTE_ORDER */
	uint64_t trace_bytes; /* length of the trace */
	uint64_t trace_hash;  /* hash of its beginning and end */
	uint64_t events, threads, cells, cell_events, objects, object_events;
	uint64_t checksum; /* of the bytes before it */
};

_Static_assert(sizeof(struct index_event) == 40 && sizeof(struct index_list) == 32, "no padding");

/* Where the arrays begin, and where the file ends; false if the counts are too large for any file.
 */
struct index_layout {
	uint64_t events, thread_first, thread_events, cells, cell_events, objects, object_events,
		end;
};
bool index_layout(const struct index_header *h, struct index_layout *l);
/* Length of a trace file, and a hash of its first and last bytes.  Errors: ERR_IO. */
int index_identify(const char *trace, uint64_t *bytes, uint64_t *hash, struct err *err);

#endif
