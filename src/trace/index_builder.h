/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An index under construction: its records are complete up to the last event, its lists are
 * postings. Private to src/trace.
 */
#ifndef HEDDLE_TRACE_INDEX_BUILDER_H
#define HEDDLE_TRACE_INDEX_BUILDER_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/buffers.h"
#include "trace/index_file.h"
#include "trace/mapped.h"
#include "trace/range_stamps.h"

/* A list under construction. */
struct built_list {
	uint64_t address;
	uint32_t since, mode;
	uint64_t checked; /* latest stamp for which `since` was verified */
	uint64_t count;
	uint64_t next; /* position of its next event while lists are filled */
};

struct built_cell {
	struct built_list list;
	ev_id writer[INDEX_CELL];
};

struct built_object {
	struct built_list list;
	ev_id open; /* the acquire of its holder */
	ev_id broadcast, opened;
};

struct built_thread {
	VEC(struct {
		uint64_t object;
		ev_id acquire;
	})
	held;
	uint64_t count;
	ev_id pending; /* last read since the last branch */
	ev_id fork, end, last, waits, woken;
};

/* An event of a list. */
struct posting {
	uint32_t list;
	ev_id event;
};

struct index_builder {
	struct mapped file, cell_postings, object_postings;
	VEC(struct built_cell) cells;
	VEC(struct built_object) objects;
	VEC(struct built_thread) threads;
	/* cell number or object address to the index of its latest lifetime */
	struct map cell_of, object_of;
	struct range_stamps lifetimes; /* by cell; stamp: number of the event plus one */
	struct buffers buffers;	       /* stores that are not in memory yet */
	uint64_t count;
};

static inline struct index_event *index_record(const struct index_builder *b, ev_id e)
{
	return (struct index_event *)(b->file.at + sizeof(struct index_header)) + e;
}

/* Distribute the postings to lists, and write all arrays and the header.  Errors: ERR_IO,
 * ERR_SUPPORT. */
int index_write_lists(struct index_builder *b, const char *trace, struct err *err);

#endif
