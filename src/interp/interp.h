/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A concrete interpreter of IR with threads: one deterministic execution of a program, by a given
 * schedule.  It is the reference for analyses and for symbolic execution, and is itself compared
 * with native execution (tests/e2e/interp).
 *
 * One thread runs at a time.  A switch is possible before each operation of a synchronisation
 * object and each atomic access, at the end of a thread, and where a thread cannot go on.  Memory
 * is checked byte by byte: an access outside of every live object ends the execution with a
 * failure.
 */
#ifndef HEDDLE_INTERP_INTERP_H
#define HEDDLE_INTERP_INTERP_H

#include "base/buf.h"
#include "base/err.h"
#include "ir/ir.h"

struct interp_input {
	int argc;
	char **argv;
	const char *stdin_bytes;
	size_t stdin_len;
	uint64_t steps; /* instructions until the execution is given up; 0: no limit */
	/*
	 * The schedule: thread numbers, in the order of the decisions, where more than one thread
	 * could run; main is 0.  A number that cannot run, and every decision after the last,
	 * leaves the choice to `seed`: 0 keeps the running thread while it can run, then takes the
	 * lowest number; another one chooses at random.
	 */
	const uint32_t *schedule;
	size_t decisions;
	uint64_t seed;
};

enum interp_end {
	INTERP_EXIT,	 /* exit status in `status` */
	INTERP_FAILED,	 /* the program did what it must not: message */
	INTERP_DEADLOCK, /* no thread can run: message */
	INTERP_REFUSED,	 /* something that is not modelled: message names it */
	INTERP_LIMIT,	 /* steps or memory: message */
};

struct interp_result {
	enum interp_end end;
	int status;
	struct buf message;   /* with the place */
	struct buf out, errs; /* what went to standard output and error */
	uint64_t steps;
	VEC(uint32_t) schedule; /* the decisions that were taken */
};

/* Interpret main.  Errors: ERR_PROGRAM (no main), ERR_SUPPORT, ERR_STOPPED (base/stop.h).  Release
 * the result in any case. */
int interp_run(const struct ir_module *m, const struct interp_input *input,
	       struct interp_result *result, struct err *err);
void interp_result_release(struct interp_result *result);

#endif
