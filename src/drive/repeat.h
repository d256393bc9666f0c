/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Make an execution again with all its events, so that a report can show it and a witness can
 * have it replayed.  The execution is given by a plan, as explorers and predictors compute it, or
 * by the seed of a random run.  What the program prints is discarded.
 */
#ifndef HEDDLE_DRIVE_REPEAT_H
#define HEDDLE_DRIVE_REPEAT_H

#include <signal.h>

#include "drive/observer.h"
#include "drive/target.h"
#include "exec/execution.h"

/* What standard input is (streams.h). */
enum repeat_input { REPEAT_INPUT_KEPT, REPEAT_INPUT_REWOUND, REPEAT_INPUT_GIVEN };

/* Gets every event before the observer does, and NULL before each attempt. */
typedef void repeat_watch(void *arg, struct observer *o, const struct event *e);

struct repeat_request {
	const struct target *target;
	char *const *argv;
	const struct plan *plan; /* NULL: a random run with this seed */
	uint64_t seed;
	/* As in struct session_config and struct session_explore. */
	uint64_t step_limit, thread_limit, round_limit, loop_limit;
	bool counts_waits;
	enum wire_memory memory;
	enum wire_heap heap;
	enum wire_backend backend;
	uint32_t spurious_wakeups;
	const struct wire_divided *divided;
	/* When it must end: nanoseconds of CLOCK_MONOTONIC, and seconds from now; 0: no limit. */
	uint64_t end_by, timeout;
	const sigset_t *mask; /* signal mask of the program; NULL: the tool's */
	enum repeat_input input;
	const void *input_bytes; /* REPEAT_INPUT_GIVEN */
	size_t input_size;
	bool all_frames;
	repeat_watch *watch; /* NULL: none */
	void *watch_arg;
};

struct repeat {
	struct observer observer;
	struct run_result result;
	struct run_options run; /* as it was run; pointers in it are invalid afterwards */
};

/* *r can be released whatever the result is.  Errors: those of observer_run. */
int repeat_execution(const struct repeat_request *request, struct repeat *r, struct err *err);
/* A repeat without an execution, for findings of which only the places are known. */
void repeat_nothing(const struct target *target, bool all_frames, struct repeat *r);
void repeat_release(struct repeat *r);

/*
 * Repeat an execution and write its witness, unless it does something else now: one that fails
 * must fail again.  Kind and message are those of an execution that does not fail by itself.
 * Errors: those of observer_run, ERR_IO.
 */
struct repeat_shows {
	bool fails;
	const char *kind, *message;
};
int repeat_write_witness(const struct repeat_request *request, const struct repeat_shows *shows,
			 const char *path, bool *is_written, struct err *err);

#endif
