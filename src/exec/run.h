/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program under control to its end: starts it, takes its records from the ring as they come, decodes
 * them into the sink, watches over it, and says how it ended.  SIGINT and SIGTERM to the tool end the
 * program, not the tool.
 */
#ifndef HEDDLE_RUN_H
#define HEDDLE_RUN_H

#include <stdint.h>

#include "base/err.h"
#include "exec/debugger.h"
#include "exec/decode.h"
#include "exec/session.h"

struct run_options {
	struct session_config session;
	uint64_t timeout;			/* seconds; 0: none */
	uint64_t end_by;			/* likewise, nanoseconds of CLOCK_MONOTONIC; 0: none */
	bool is_dispensable;			/* a signal to the tool ends the program at once */
	void (*warn)(void *arg, const char *text);	/* something the user should know; the run goes on */
	void *warn_arg;
	/* NULL: none; otherwise the run lasts until it has ended, too */
	const struct debugger_config *debugger;
};

enum run_end {
	RUN_ENDED,		/* by itself, or by a signal that heddle did not send */
	RUN_UNTIL,		/* at the event asked for */
	RUN_DAMAGED,		/* the event stream is inconsistent */
	RUN_ASLEEP,		/* the program slept where it must not */
	RUN_SPINNING,		/* the program computes without passing a hook */
	RUN_TIMEOUT,
	RUN_INTERRUPTED,	/* the user wants an end */
	RUN_UNCONTROLLED,	/* the runtime never said a word */
	RUN_UNSUPPORTED,	/* the program called something that heddle cannot control */
	RUN_LEFT,		/* the user left the debugger before the end */
	RUN_NOT_ATTACHED,	/* the debugger could not get hold of the program */
	RUN_DIVERGED,		/* a replay left its recording; set by who compares */
};

struct run_result {
	enum run_end end;
	int wait_status;	/* of the process, as waitpid gives it */
	uint64_t hooks;		/* as the program told last */
	uint32_t diverged;	/* replay: the schedule could not be followed, and: */
	uint32_t diverged_reason;	/* enum wire_divergence */
	uint64_t diverged_step;
	uint64_t diverged_hooks;
	uint32_t diverged_call, diverged_wanted, diverged_thread;	/* as in struct wire_session */
	struct err text;	/* a sentence for every end except RUN_ENDED and RUN_UNTIL */
};

/*
 * Errors: those of session_start and debugger_start, and what the sink returned; the program has been ended
 * then.  Everything else is an end (enum run_end), with all events before it delivered.
 */
int run_program(const struct run_options *o, struct decoder *d, struct run_result *r, struct err *err);

#endif
