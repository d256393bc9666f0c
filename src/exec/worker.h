/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker runs executions of a program for an explorer, one after the other: it passes the plan
 * to the program's process, waits for the result, and starts a new process where needed.  If a
 * process is killed from outside, or exceeds its memory limit, its execution is repeated in a new
 * process.  If that fails several times, or if the process misbehaves, only this execution is
 * lost (EXPLORE_GONE).
 *
 * Executions are restarted in place where the program allows it.  This is verified: the first
 * execution, then one in WORKER_CHECK_EVERY, and each one with a new failure (kind, place,
 * output) is repeated by fork, and must be equal.  So every finding and every outcome that is a
 * failure was observed in a fresh process.  Executions that start in a fresh process are repeated
 * as often, so that nondeterministic programs are detected.
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
#define WORKER_TRIES 3 /* of an execution whose process dies */

struct worker_config {
	const char *path; /* of the program, as session_find_program gives it */
	char *const *argv;
	char *const *environment; /* NULL: the tool's own */
	enum wire_memory memory;
	enum wire_heap heap;
	/* with real threads every execution has a new process, whatever `restart` is */
	enum wire_backend backend;
	enum explore_restart restart;
	uint32_t spurious_wakeups;	    /* of each thread */
	const struct wire_divided *divided; /* read for each execution; NULL: none */
	uint64_t step_limit;		    /* hooks in one execution; 0: none */
	uint64_t thread_limit;		    /* threads in one execution; 0: none */
	uint64_t round_limit;		    /* unproductive rounds of a loop; 0: none */
	uint64_t loop_limit;		    /* rounds of any loop; 0: none */
	uint64_t memory_limit;		    /* bytes that its process may have; 0: no limit */
	unsigned worker, workers;	    /* index and number of the workers of the search */
	const sigset_t *mask;		    /* signal mask of the program; NULL: the tool's */
	bool counts_waits;		    /* plans count steps as recordings do (session.h) */
	/* executions in place are not repeated: the caller compares them */
	bool is_trusted;
	/* not NULL: while *stop is not 0, worker_run() ends early with EXPLORE_GONE */
	const volatile sig_atomic_t *stop;
	/* not NULL: the same from this time on (base/clock.h); 0: never */
	const uint64_t *end_by;
};

struct worker {
	struct worker_config config;
	struct session_explore explore;
	struct session_config session_config;
	struct session session;
	struct watchdog watchdog;
	uint32_t watched; /* number of the execution that the watchdog checks */
	/* the process of the last execution ended, or exceeded the memory limit: it may be repeated
	 */
	bool has_died;
	bool is_cut; /* the last execution was ended by `stop` or `end_by` */
	struct processor processor;
	char text[512];		     /* of the last execution */
	char fallback[256];	     /* why it switched from in place to fork; "": it did not */
	uint64_t processes;	     /* started so far */
	uint64_t executions, checks; /* number so far; those that were repeated by fork */
	struct worker *checker;	     /* repeats executions by fork; NULL: none yet */
	struct map failures;	     /* keys of the failures so far */
};

/* Errors: those of session_open.  The program is started by the first execution. */
int worker_start(struct worker *w, const struct worker_config *config, struct err *err);
/* One execution; its ops are valid until the next call.  Errors: those of session_launch and
 * session_set_plan. */
int worker_run(struct worker *w, const struct plan *plan, struct execution *out, struct err *err);
/* Change a limit for the following executions. */
void worker_limit_steps(struct worker *w, uint64_t steps);
void worker_limit_threads(struct worker *w, uint64_t threads);
void worker_limit_rounds(struct worker *w, uint64_t rounds);
void worker_limit_loops(struct worker *w, uint64_t rounds);
void worker_release(struct worker *w);

#endif
