/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions with the same schedule and another content of memory that nobody has written.  If
 * the program then does something else, what it does depends on that content.
 *
 * Why a difference is real: nothing else differs between the two executions.  Both have a process
 * of their own and the same plan, addresses do not depend on the content, and a program that does
 * not repeat itself with the same content is left out (experiment_usual, experiment_confirm).
 */
#ifndef HEDDLE_CHECK_EXPERIMENT_H
#define HEDDLE_CHECK_EXPERIMENT_H

#include "check/check.h"

#define EXPERIMENTS_MAX 256 /* executions with another content, in one search */

/* The unwritten bytes that have another content, and which: heap addresses, or pieces of frames. */
struct experiment_fill {
	uint64_t from, to;
	uint8_t byte;
	const struct wire_frame_fill *frames;
	size_t frames_count;
};

/* An execution as it is compared: values are what may be copied. */
struct course {
	VEC(struct wire_op) ops;
	enum explore_end end;
	int exit_status;
	uint32_t failure;
};

/* The zero state with a check is one in which no process has been started. */
struct laboratory {
	struct check *c;
	struct worker worker;
	bool has_worker;
	size_t experiments;
	struct course usual, other, again;
};

void laboratory_release(struct laboratory *l);

/* The execution as it is; false: it is not the same each time, or cannot be made. */
int experiment_usual(struct laboratory *l, const struct plan *plan, bool *is_usable,
		     struct err *err);
/* The same with another content; false: it cannot be made, or there were enough. */
int experiment(struct laboratory *l, const struct plan *plan, const struct experiment_fill *fill,
	       struct course *out, bool *is_made, struct err *err);
/* Whether executions with these contents (NULL: the usual one) are once more as they were. */
int experiment_confirm(struct laboratory *l, const struct plan *plan,
		       const struct experiment_fill *fill, const struct course *before,
		       bool *is_confirmed, struct err *err);

/* Near the first difference of two executions: what each does there; 0: it has ended. */
struct parting {
	uint64_t first, second;
};
bool courses_part(const struct course *a, const struct course *b, struct parting *out);
/* " in f() file:line", or nothing. */
void experiment_place(struct observer *o, uint64_t pc, struct buf *out);
/* " and exits with 1 instead of 0", " and fails (...)", or nothing. */
void experiment_end(const struct course *c, const struct course *instead_of, struct buf *out);

#endif
