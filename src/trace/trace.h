/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces: a header, tables that events refer to, and events in order.  There is a binary form
 * (doc/FORMAT.md) and a lossless text form; the reader detects which.  Both can be streamed:
 * definitions precede their first use, and memory use is bounded by one block and the tables.
 */
#ifndef HEDDLE_TRACE_H
#define HEDDLE_TRACE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/vec.h"
#include "trace/accesses.h"
#include "trace/event.h"

#define TRACE_THREADS_MAX (1u << 20) /* threads of a trace; a reader refuses more */

/* Facts about the whole run: name and value, names unique, kept in order. */
struct trace_fact {
	char *name;
	char *value; /* any bytes except NUL */
};

/*
 * Facts that `heddle record` writes before the first event: format, tool, program, build-id, arg
 * (one for each, named arg.0 ...), seed, schedule, preempt, branches, memory-model, heap, clock,
 * aslr. And after the last (only in a complete trace): events, end (exit N | signal N | stopped |
 * lost), hooks.
 */

#define TRACE_FACT_BRANCHES "branches"
#define TRACE_BRANCHES_FULL "full" /* every branch is an event */
#define TRACE_FACT_ACCESSES "accesses"
/* private accesses were left out (sparse.h); then there are two closing facts: */
#define TRACE_ACCESSES_SHARED "shared"
#define TRACE_FACT_LEFT_OUT "left-out" /* number of events that were left out */
#define TRACE_FACT_ADDED "added"       /* number of events that were inserted */

/* Tables; index 0 of each is unused (of facts it holds two empty strings). */
struct trace_tables {
	VEC(struct trace_fact) facts;
	VEC(struct location) locations;
	VEC(struct stack_node) stacks;
	VEC(struct region) regions;
};

const char *trace_fact(const struct trace_tables *t, const char *name); /* NULL if absent */
/* The region that contains an address, or 0. */
uint32_t trace_region_of(const struct trace_tables *t, uint64_t address);
/*
 * The location into which this one was inlined; 0: it was not inlined.  All functions inlined at
 * one address have a location with the same region and offset.  These locations are consecutive,
 * outermost first.
 */
loc_id trace_outer(const struct trace_tables *t, loc_id loc);
void trace_tables_release(struct trace_tables *t);

/* ---- writing ---- */

struct trace_writer;

enum trace_form { TRACE_BINARY, TRACE_TEXT };

/*
 * Create a file.  "-" is standard output.  Errors: ERR_IO.  A failed write later (a full disk)
 * makes every following call return the same error; what was written before stays a valid trace
 * up to its last complete block.
 */
int trace_writer_open(struct trace_writer **w, const char *path, enum trace_form form,
		      struct err *err);
void trace_writer_fact(struct trace_writer *w, const char *name, const char *value);
/* Definitions; ids must be used in ascending order from 1.  The strings are copied. */
int trace_writer_region(struct trace_writer *w, const struct region *r, struct err *err);
int trace_writer_location(struct trace_writer *w, const struct location *l, struct err *err);
int trace_writer_stack(struct trace_writer *w, const struct stack_node *s, struct err *err);
/* index and own_index of the event are ignored; the order of calls counts. */
int trace_writer_event(struct trace_writer *w, const struct event *e, struct err *err);
/*
 * Accesses in compact form, and the sites that they refer to; binary form only.
 * trace_writer_expect_chunks() must be called before the first event.
 */
void trace_writer_expect_chunks(struct trace_writer *w);
int trace_writer_site(struct trace_writer *w, const struct trace_site *s, struct err *err);
int trace_writer_chunk(struct trace_writer *w, const struct access_chunk *c, struct err *err);
/* End the trace as complete.  Facts given since the first event go into the last block. */
int trace_writer_close(struct trace_writer *w, struct err *err);
/* Write what was given so far as a complete block, without an end mark, and free the writer. */
void trace_writer_abandon(struct trace_writer *w);

/* ---- reading ---- */

struct trace_reader;

/* Errors: ERR_IO, ERR_FORMAT, ERR_VERSION, ERR_CUT_OFF (not even the header is complete). "-" is
 * standard input. */
int trace_reader_open(struct trace_reader **r, const char *path, struct err *err);
/* 1 and an event, 0 at the end, or ERR_FORMAT, ERR_IO.  The event's data is valid until the next
 * call. */
int trace_reader_next(struct trace_reader *r, struct event *e, struct err *err);
/*
 * A faster form: 1 and at least one event, in the reader's own memory.  The caller may change the
 * events; they are valid until the next call.
 */
int trace_reader_batch(struct trace_reader *r, struct event **events, size_t *len, struct err *err);
/* The definitions so far; they grow as events are read. */
const struct trace_tables *trace_reader_tables(const struct trace_reader *r);
/* After the end: whether the trace is complete.  A cut-off trace gives its complete blocks and
 * then ends. */
bool trace_reader_is_complete(const struct trace_reader *r);
/* After the end of a cut-off trace: one sentence that says where it was cut. */
const char *trace_reader_cut_reason(const struct trace_reader *r);
/* Bytes of the file that were consumed so far. */
uint64_t trace_reader_bytes(const struct trace_reader *r);
/* The name of the file in messages. */
const char *trace_reader_path(const struct trace_reader *r);
void trace_reader_close(struct trace_reader *r);

/*
 * Copy the rest of a reader's trace to a writer, and end the writer: it is closed if the trace
 * was complete, and abandoned if it was cut off.  The writer is freed, also after an error.
 * Errors: those of reading and writing.
 */
int trace_copy(struct trace_reader *r, struct trace_writer *w, struct err *err);
/* For partial copies: copy the definitions and facts that the writer does not have yet. */
struct trace_copied {
	size_t facts, regions, locations, stacks; /* all zero at the beginning */
};
int trace_copy_tables(const struct trace_tables *t, struct trace_copied *done,
		      struct trace_writer *w, struct err *err);

/* ---- text ---- */

struct buf;
/* One event as a line of the text form, with newline. */
void trace_text_event(const struct event *e, struct buf *out);
/* An address with the name of its region: "main.o+0x40", "stack 2-0x118", "heap 0+0x20"; without
 * tables, hex. */
void trace_text_address(const struct trace_tables *t, uint64_t address, struct buf *out);

#endif
