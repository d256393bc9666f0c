/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gdb with a controlled program: the tool starts gdb, which attaches to the program; the program
 * waits for it.  So the program has the same parent, environment, arguments and descriptors as in
 * any other run.
 *
 * gdb loads heddle's extension (src/gdb/heddle_gdb.py), which queries the tool about the events
 * so far over a socket that gdb inherits.  A question is a line.  An answer is its length in
 * decimal, a newline, and that many bytes.
 */
#ifndef HEDDLE_DEBUGGER_H
#define HEDDLE_DEBUGGER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct debugger_config {
	const char *gdb;       /* its path */
	const char *extension; /* path of the extension */
	char *const *args;     /* further arguments of gdb, NULL-terminated */
	/* Answer a question. */
	void (*answer)(void *arg, const char *question, struct buf *out);
	void *answer_arg;
};

struct debugger {
	const struct debugger_config *config;
	pid_t pid;	     /* 0: not started, or reaped */
	int fd;		     /* the tool's end of the socket; -1: none */
	struct buf question; /* received part of the next question */
};

/* Errors: ERR_IO, ERR_SUPPORT (gdb cannot be executed). */
int debugger_start(struct debugger *d, const struct debugger_config *config, const char *program,
		   pid_t pid, const sigset_t *mask, struct err *err);
/* Whether there are questions to answer; never blocks. */
bool debugger_has_question(struct debugger *d);
/* Answer all received questions. */
void debugger_answer(struct debugger *d);
/* Whether gdb has ended. */
bool debugger_reap(struct debugger *d);
/* Accepts one that was never started. */
void debugger_release(struct debugger *d);

#endif
