/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a controlled program to its end: starts it, decodes its records from the ring into the
 * sink, watches its progress, and reports how it ended.  SIGINT and SIGTERM to the tool end the
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
	uint64_t timeout;    /* seconds; 0: none */
	uint64_t end_by;     /* deadline (base/clock.h); 0: none */
	bool is_dispensable; /* a signal to the tool kills the program at once */
	/* a warning for the user; the run continues */
	void (*warn)(void *arg, const char *text);
	void *warn_arg;
	/* NULL: none; otherwise the run also waits for its end */
	const struct debugger_config *debugger;
};

enum run_end {
	RUN_ENDED,    /* by itself, or by a signal that heddle did not send */
	RUN_UNTIL,    /* at the requested event */
	RUN_DAMAGED,  /* the event stream is malformed */
	RUN_ASLEEP,   /* the program blocked outside heddle's control */
	RUN_SPINNING, /* the program computes without reaching a hook */
	RUN_TIMEOUT,
	RUN_INTERRUPTED,  /* by a signal to the tool */
	RUN_UNCONTROLLED, /* the runtime never sent a record */
	RUN_UNSUPPORTED,  /* the program called something that heddle cannot control */
	RUN_LEFT,	  /* the user quit the debugger before the end */
	RUN_NOT_ATTACHED, /* the debugger could not attach to the program */
	/* a replay differs from its recording; set by the code that compares them */
	RUN_DIVERGED,
};

struct run_result {
	enum run_end end;
	int wait_status; /* of the process, as waitpid gives it */
	uint64_t hooks;	 /* the last count from the program */
	uint64_t
		concurrent_hooks; /* while at least two threads lived; 0 if it did not end itself */
	uint32_t diverged;	  /* replay: the schedule could not be followed; details: */
	uint32_t diverged_reason; /* enum wire_divergence */
	uint64_t diverged_step;
	uint64_t diverged_hooks;
	/* as in struct wire_session */
	uint32_t diverged_call, diverged_wanted, diverged_thread;
	struct err text; /* a sentence for every end except RUN_ENDED and RUN_UNTIL */
};

/*
 * Errors: those of session_start(), debugger_start() and the sink; then the program is killed.
 * Everything else is an enum run_end, with all events before it delivered.
 */
int run_program(const struct run_options *o, struct decoder *d, struct run_result *r,
		struct err *err);

#endif
