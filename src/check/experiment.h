/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions with the same schedule and another content of memory that was not written.  If
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
struct run_log {
	VEC(struct wire_op) ops;
	enum explore_end end;
	int exit_status;
	uint32_t failure;
};

/* The zero state with a check is one in which no process has been started. */
struct experiments {
	struct check *c;
	struct worker worker;
	bool has_worker;
	size_t experiments;
	struct run_log usual, other, again;
};

void experiments_release(struct experiments *l);

/* The execution as it is; false: it is not the same each time, or cannot be made. */
int experiment_usual(struct experiments *l, const struct plan *plan, bool *is_usable,
		     struct err *err);
/* The same with another content; false: it cannot be made, or there were enough. */
int experiment(struct experiments *l, const struct plan *plan, const struct experiment_fill *fill,
	       struct run_log *out, bool *is_made, struct err *err);
/* Whether executions with these contents (NULL: the usual one) are once more as they were. */
int experiment_confirm(struct experiments *l, const struct plan *plan,
		       const struct experiment_fill *fill, const struct run_log *before,
		       bool *is_confirmed, struct err *err);

/* Near the first difference of two executions: what each does there; 0: it has ended. */
struct divergence {
	uint64_t first, second;
};
bool run_logs_differ(const struct run_log *a, const struct run_log *b, struct divergence *out);
/* " in f() file:line", or nothing. */
void experiment_place(struct observer *o, uint64_t pc, struct buf *out);
/* " and exits with 1 instead of 0", " and fails (...)", or nothing. */
void experiment_end(const struct run_log *c, const struct run_log *instead_of, struct buf *out);

#endif
