/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RAPID's STD text: one line for each event, thread|operation|place, as in T1|w(V3)|17.
 * Operations are r w acq rel fork join begin end.  Extensions that RAPID itself does not read are
 * br (a branch) and req (a lock request).
 *
 * begin and end are optional.  A thread that was created and whose first operation is not begin
 * gets a begin without a location, which is not exported.  A join comes after all events of its
 * thread.  The place is optional, too.  If a line has no place, or all lines have the same one,
 * each line is its own place.
 *
 * In an imported trace the names are in the tables, so that an export gives the same lines again:
 * the text of a place is the function of its location, V<n> and L<n> are addresses in two fixed
 * ranges, other names are regions of one object.  A location has a line number only if the line
 * is the place.  STD has no values: a write stores the number of its line, and a read returns
 * that.
 */
#ifndef HEDDLE_TRACE_STD_H
#define HEDDLE_TRACE_STD_H

#include "base/buf.h"
#include "base/map.h"
#include "trace/trace.h"

/* Synthetic addresses, apart from anything in a recorded program; each object has 8 bytes. */
#define STD_VARIABLES 0x300000000000ull
#define STD_LOCKS 0x310000000000ull
#define STD_NAMED 0x320000000000ull /* objects with other names, in order of appearance */
#define STD_NUMBERS (1ull << 37)    /* V and L with a number below this are in the ranges */
#define STD_NAMED_THREADS \
	(1u << 19) /* threads whose name is not T and a smaller number, from here on */

/* Header fact of an imported trace. */
#define STD_FACT "source"
#define STD_FACT_VALUE "std"

/* What begin and end delimit: threads, or atomic blocks inside threads. */
enum std_begin { STD_BEGIN_THREADS, STD_BEGIN_BLOCKS };

/* Whether a trace was imported. */
bool std_is_source(const struct trace_tables *t);
/* The name of an object or thread in the file that a trace was imported from; false if it was not.
 */
bool std_object_name(const struct trace_tables *t, uint64_t address, struct buf *out);
bool std_thread_name(const struct trace_tables *t, thr_id thread, struct buf *out);

/* Whether the first line looks like STD.  Errors: ERR_IO. */
int std_detect(const char *path, bool *is_std, struct err *err);
/*
 * Read a file ("-": standard input) and write its events to a writer, which is closed or, after
 * an error, abandoned.  Errors: ERR_IO; ERR_FORMAT with the line that is malformed or
 * inconsistent.
 */
int std_import(const char *path, enum std_begin what, struct trace_writer *w, struct err *err);

/* ---- export ---- */

struct std_lock {
	thr_id owner; /* according to the lines; THR_NONE: not held */
	uint64_t depth;
};

struct std_export {
	bool is_extended; /* br and req may be written */
	bool is_imported; /* the trace came from STD */
	/* address / 64 to a bit for each address where a variable begins */
	struct map cuts;
	struct map variable_of, lock_of, object_of, region_of;
	VEC(struct std_lock) locks;
	size_t regions; /* processed by collect_names() */
	uint64_t names; /* number of locks with a number */
	uint64_t left_out[EV_LIMIT];
	uint64_t lines, branches, sections, atomics, reads_under_lock, odd_locks;
};

/*
 * Export needs two passes.  The first determines which bytes are always accessed together.  They
 * become one variable, so two lines conflict exactly if the accesses overlap.  ERR_SUPPORT for an
 * access that is too large to be split.
 */
int std_export_survey(struct std_export *x, const struct event *e, struct err *err);
/* The second appends the lines of an event to out. */
void std_export_event(struct std_export *x, const struct trace_tables *t, const struct event *e,
		      struct buf *out);
/* Afterwards: notes about what STD cannot express, if the trace had any of it. */
void std_export_note(const struct std_export *x, struct buf *out);
void std_export_release(struct std_export *x);

#endif
