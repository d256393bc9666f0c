/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that people read: of threads, objects, places, and the text of source lines.
 */
#ifndef HEDDLE_NAMES_H
#define HEDDLE_NAMES_H

#include "base/buf.h"
#include "exec/source.h"
#include "report/scene.h"
#include "trace/trace.h"

struct names_file;

/* What names are made from.  The caller fills the first four and releases the rest by
 * names_release. */
struct names {
	const struct trace_tables *tables;
	const struct scene *scene;
	struct source *source; /* NULL: no names of globals */
	/* path of the program: sources that are newer than it are not shown */
	const char *program;
	bool all_frames; /* reports show functions of library headers, too */
	VEC(struct names_file *) files;
	char *cwd;
};

void names_release(struct names *n);

/* T1 'worker' */
void names_thread(struct names *n, thr_id t, struct buf *out);
/* mutex_a, table+16, heap[a.c:12]+8 */
void names_object(struct names *n, uint64_t address, struct buf *out);
/* The same after its kind if it is a synchronisation object of the scene: mutex m */
void names_sync(struct names *n, uint64_t address, struct buf *out);
/* "mutex ", "condition variable " ...; "" for what is not a synchronisation object */
const char *names_sync_mode(unsigned mode);
/* The path as the user would write it: relative to the current directory if it lies there. */
const char *names_path(struct names *n, const char *path);
/* bank.c:12, or function+offset of the module without debug information */
void names_place(struct names *n, loc_id loc, struct buf *out);
const struct location *names_location(const struct names *n, loc_id loc); /* never NULL */
/* The place that is shown for one that was reached by these calls: the innermost in the user's
 * own code. */
loc_id names_own(const struct names *n, loc_id loc, stack_id stack);
/* The text of a place's source line without leading blanks; NULL if it cannot be had. */
const char *names_source_line(struct names *n, loc_id loc);

/* "descriptor 3 in read": what a thread waits for. */
void names_descriptor(uint64_t fd, unsigned call, struct buf *out);

/* A value that an access read or wrote: a number, or what it points to.  EVF_HASHED of at most 8
 * bytes, which no trace has, says that it is not known. */
void names_value(struct names *n, const struct event *e, uint64_t v, struct buf *out);

/* "write counter = 3": what an event did, without thread and place. */
void names_event(struct names *n, const struct event *e, struct buf *out);

#endif
