/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker runs executions of a program for an explorer, one after the other: it passes the plan to the
 * program's process, waits for the result, and gets a new process where one is needed.  If a process is
 * killed from outside, or needs more memory than it may, its execution is made again by a new one; if that
 * comes to nothing several times, and if it misbehaves, that costs the execution (EXPLORE_GONE) and nothing
 * else.
 *
 * Executions begin again in place where the program allows it.  That is not taken on trust: the first one,
 * then one in WORKER_CHECK_EVERY, and each that fails as none did before (kind, place, output), is repeated
 * by fork, and must be the same: so every finding and every outcome that is a failure was seen in a process
 * of its own.  Those that begin with a process of their own are repeated as often, so that a program which
 * does not do the same twice is noticed.
 */
#ifndef HEDDLE_WORKER_H
#define HEDDLE_WORKER_H

#include <signal.h>

#include "base/map.h"
#include "exec/execution.h"
#include "exec/processor.h"
#include "exec/session.h"
#include "exec/watchdog.h"

#define WORKER_CHECK_EVERY 256
#define WORKER_TRIES 3		/* of an execution whose process dies */

struct worker_config {
	const char *path;		/* of the program, as session_find_program gives it */
	char *const *argv;
	char *const *environment;	/* NULL: the tool's own */
	enum wire_memory memory;
	enum wire_heap heap;
	/* real threads begin again with a new process, whatever `restart` says */
	enum wire_backend backend;
	enum explore_restart restart;
	uint32_t spurious_wakeups;	/* of each thread */
	const struct wire_divided *divided;	/* looked at for each execution; NULL: nothing is */
	uint64_t step_limit;		/* hooks in one execution; 0: none */
	uint64_t thread_limit;		/* threads in one execution; 0: none */
	uint64_t round_limit;		/* unproductive rounds of a loop; 0: none */
	uint64_t memory_limit;		/* bytes that its process may have; 0: no limit */
	unsigned worker, workers;	/* which of how many of the same search */
	const sigset_t *mask;		/* signal mask of the program; NULL: the tool's */
	bool counts_waits;		/* plans have the numbers of recordings (session.h) */
	/* executions in place are not repeated: somebody else compares them */
	bool is_trusted;
	/* not NULL: where not 0, worker_run ends early with EXPLORE_GONE */
	const volatile sig_atomic_t *stop;
	/* not NULL: likewise from then on, nanoseconds of CLOCK_MONOTONIC; 0: never */
	const uint64_t *end_by;
};

struct worker {
	struct worker_config config;
	struct session_explore explore;
	struct session_config session_config;
	struct session session;
	struct watchdog watchdog;
	uint32_t watched;		/* the execution that it looks at */
	/* the process of the last execution, by itself or for its size: it may be tried again */
	bool has_died;
	bool is_cut;			/* the last execution was ended by `stop` or `end_by` */
	struct processor processor;
	char text[512];			/* of the last execution */
	char fallback[256];		/* why it is not restarted in place; "": it is, or was not to be */
	uint64_t processes;		/* started so far */
	uint64_t executions, checks;	/* made so far; of them repeated by fork */
	struct worker *checker;		/* who repeats them; NULL: none yet */
	struct map failures;		/* those that were seen */
};

/* Errors: those of session_open.  The program is started by the first execution. */
int worker_start(struct worker *w, const struct worker_config *config, struct err *err);
/* One execution; its ops are valid until the next call.  Errors: those of session_launch and
 * session_set_plan. */
int worker_run(struct worker *w, const struct plan *plan, struct execution *out, struct err *err);
/* Executions have another limit from now on. */
void worker_limit_steps(struct worker *w, uint64_t steps);
void worker_limit_threads(struct worker *w, uint64_t threads);
void worker_limit_rounds(struct worker *w, uint64_t rounds);
void worker_release(struct worker *w);

#endif
