/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of the binary form (doc/FORMAT.md): file header, block headers, limits.  Everything is
 * little-endian. Private to src/trace.
 */
#ifndef HEDDLE_TRACE_BLOCK_H
#define HEDDLE_TRACE_BLOCK_H

#include <stdint.h>

#include "trace/trace.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "the binary form is written as it stands in memory");

#define TRACE_VERSION 1
#define TRACE_MAGIC "\x89HEDDLE\n"
#define TRACE_BYTE_ORDER 0x0a0b0c0du
#define TRACE_FEATURE_CHUNKS 1ull /* may have blocks of sites and chunks */
#define TRACE_FEATURES_KNOWN 1ull /* a reader must reject a file with any other bit */

struct file_header {
	char magic[8];
	uint32_t byte_order;
	uint16_t version;
	uint16_t size; /* of this header */
	uint64_t features;
	uint64_t checksum; /* of the bytes before it */
};
_Static_assert(sizeof(struct file_header) == 32, "no padding");

enum block_type {
	BLOCK_FACTS = 1,
	BLOCK_REGIONS,
	BLOCK_LOCATIONS,
	BLOCK_STACKS,
	BLOCK_EVENTS,
	BLOCK_END,
	BLOCK_SITES,
	BLOCK_CHUNKS
};

enum block_flag {
	BLOCK_OPTIONAL = 1, /* a reader skips it if it does not support the type */
	/* the payload is one zstd frame; otherwise it is the content itself */
	BLOCK_COMPRESSED = 2,
};

struct block_header {
	uint16_t type;
	uint8_t flags;
	uint8_t zero;
	uint32_t count;	   /* of events, definitions or facts */
	uint32_t raw;	   /* bytes of content */
	uint32_t stored;   /* bytes of payload that follow */
	uint64_t checksum; /* of the payload */
	/* of the bytes before it: a damaged length is not a cut */
	uint64_t header_checksum;
};
_Static_assert(sizeof(struct block_header) == 32, "no padding");

#define FACT_EVENTS "events" /* closing fact that the reader checks */

/*
 * Limits.  They bound what a hostile file can make a reader allocate, and keep writers within
 * what readers accept.  A block of events ends at BLOCK_EVENTS_MAX events or when its data
 * reaches BLOCK_DATA_MAX, whichever comes first.  So where blocks end depends on the events
 * alone, and converting a trace to text and back gives the same bytes.
 */
#define BLOCK_EVENTS_MAX 65536u
#define BLOCK_DATA_MAX (16u << 20)
#define BLOCK_CHUNKS_MAX (1u << 20)	 /* bytes of chunks after which a block ends */
#define BLOCK_DEFINITIONS_MAX (1u << 20) /* bytes after which a block of definitions ends */
#define BLOCK_RAW_MAX (32u << 20)
#define TRACE_DATA_MAX (1u << 20) /* bytes of one event */
#define TRACE_STRING_MAX (1u << 20)
#define TRACE_FACTS_MAX 16384u /* they are searched one by one */

/*
 * Number of ids of each table, including the unused 0.  Definitions and events are checked
 * against them.
 */
struct id_limits {
	uint32_t regions, locations, stacks, sites;
};

/* The flaw of a definition, fact or event, as a clause without a position; NULL if it is valid. */
const char *region_flaw(const struct region *r);
const char *location_flaw(const struct location *l, const struct id_limits *limits);
const char *stack_flaw(const struct stack_node *s, const struct id_limits *limits);

/* Inline because it runs for every event. */
static inline const char *event_flaw(const struct event *e, const struct id_limits *limits)
{
	if (!event_kind_exists[e->kind])
		return "an event has an unknown kind";
	if (e->thread >= TRACE_THREADS_MAX)
		return "an event has a thread number that is too large";
	if (e->loc >= limits->locations)
		return "an event names a location that is not defined";
	if (e->stack >= limits->stacks)
		return "an event names a call stack that is not defined";
	if (e->data_len > TRACE_DATA_MAX)
		return "an event has too many bytes of data";
	return NULL;
}

/* Create the unused entries at index 0.  The tables own the strings of entries that are added. */
void tables_init(struct trace_tables *t);
struct id_limits tables_limits(const struct trace_tables *t);

#endif
