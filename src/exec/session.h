/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One controlled process: the memory file shared with its runtime, its start and its end.
 *
 * The program has the same environment, descriptors, signal dispositions and mask, umask and
 * directory as without heddle, except for one variable that the runtime removes and one
 * descriptor (100, or the first free one from there).  It is killed when the tool ends.
 */
#ifndef HEDDLE_SESSION_H
#define HEDDLE_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "exec/execution.h"
#include "wire/wire.h"

/* Policy POLICY_EXPLORE: how executions are run. */
struct session_explore {
	enum explore_restart restart;
	uint64_t step_limit;   /* hooks in one execution; 0: none */
	uint64_t thread_limit; /* threads in one execution; 0: none */
	uint64_t round_limit;  /* unproductive rounds of a loop; 0: none */
	uint64_t loop_limit;   /* rounds of any loop; 0: none */
	/* plans count steps as recordings do: ends of timed waits count */
	bool counts_waits;
	/* not NULL: one execution of this plan, with its events in the ring */
	const struct plan *recorded;
};

struct session_config {
	const char *path; /* of the program, as session_find_program gives it */
	char *const *argv;
	char *const *environment; /* NULL: the tool's own */
	enum wire_policy policy;
	uint32_t preempt;
	uint64_t length; /* pct: hooks from which changes are drawn; 0: not known */
	uint64_t seed;
	uint64_t step_limit;  /* 0: none */
	uint64_t until_event; /* UINT64_MAX: never */
	const struct wire_step *schedule;
	size_t schedule_count;
	const uint32_t *choices;
	size_t choices_count;
	bool keep_aslr;
	enum wire_backend backend;
	bool has_debugger; /* the program waits for one */
	int inputs_fd;	   /* recorded inputs to replay; 0: the system calls are made */
	uint64_t inputs_size;
	bool plain_accesses; /* no chunks */
	bool branch_events;  /* every branch is an event */
	enum wire_memory memory;
	enum wire_heap heap;
	uint32_t spurious_wakeups;	       /* of each thread */
	bool awaits;			       /* there are events of threads that spin */
	bool waits_for_stores;		       /* replay of an explored execution (wire.h) */
	const struct wire_divided *divided;    /* copies to make word by word; NULL: none */
	const sigset_t *mask;		       /* signal mask of the program; NULL: the tool's */
	const struct session_explore *explore; /* NULL: none */
};

struct session {
	int fd; /* the memory file; -1: none */
	struct wire_session *shared;
	struct wire_explore *explore; /* in it; NULL: none */
	size_t mapped;		      /* bytes of the file before the ring */
	const uint64_t *ring;	      /* mapped twice in succession, so that records do not wrap */
	uint64_t ring_words;	      /* a power of two */
	pid_t pid;		      /* 0: not started, or reaped */
	int wait_status;	      /* once reaped */
};

/* Find the file of a program; PATH is searched if the name has no slash.  Errors: ERR_PROGRAM. */
int session_find_program(const char *name, struct buf *path, struct err *err);

/*
 * session_open() creates the memory, session_launch() a process for it; processes may follow each
 * other. session_start() does both.  Errors: ERR_IO, ERR_PROGRAM (it cannot be executed),
 * ERR_SUPPORT (the plan is too long).
 */
int session_open(struct session *s, const struct session_config *config, struct err *err);
int session_launch(struct session *s, const struct session_config *config, struct err *err);
int session_start(struct session *s, const struct session_config *config, struct err *err);
/* Set all of standard input, in place of what the program would read; false: it is too long. */
bool session_set_input(struct session *s, const void *bytes, size_t len);
/* Give a session the same external inputs (standard input, process ids) as another one had. */
void session_copy_inputs(struct session *s, const struct session *other);
/* Set the plan of the next execution. */
int session_set_plan(struct session *s, const struct plan *plan, struct err *err);
/* Whether the process has ended; then wait_status is set. */
bool session_reap(struct session *s);
void session_signal(struct session *s, int signal);
/* kill the process, if there is one, and wait for its end */
void session_kill(struct session *s);
/* Kill the process if it still runs, and release everything.  Accepts a session that never started.
 */
void session_release(struct session *s);

#endif
