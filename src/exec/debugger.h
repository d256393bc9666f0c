/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gdb beside a controlled program: it is started by the tool and attaches to the program, which waits for it.
 * So the program has the same parent, environment, arguments and descriptors as in any other run.
 *
 * gdb loads heddle's extension (src/gdb/heddle_gdb.py), which asks the tool about the events so far over a
 * socket that gdb inherits: a line is a question, and the answer is its length in decimal, a newline, and so
 * many bytes.
 */
#ifndef HEDDLE_DEBUGGER_H
#define HEDDLE_DEBUGGER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct debugger_config {
	const char *gdb;		/* its path */
	const char *extension;		/* path of the extension */
	char *const *args;		/* further arguments of gdb, NULL-terminated */
	/* Answer a question. */
	void (*answer)(void *arg, const char *question, struct buf *out);
	void *answer_arg;
};

struct debugger {
	const struct debugger_config *config;
	pid_t pid;		/* 0: not started, or gone */
	int fd;			/* our end of the socket; -1: none */
	struct buf question;	/* what has come of the next one */
};

/* Errors: ERR_IO, ERR_SUPPORT (gdb cannot be executed). */
int debugger_start(struct debugger *d, const struct debugger_config *config, const char *program, pid_t pid,
		   const sigset_t *mask, struct err *err);
/* Whether questions have come that are to be answered; never blocks. */
bool debugger_has_question(struct debugger *d);
/* Answer the questions that have come. */
void debugger_answer(struct debugger *d);
/* Whether gdb has ended. */
bool debugger_reap(struct debugger *d);
/* Accepts one that was never started. */
void debugger_release(struct debugger *d);

#endif
