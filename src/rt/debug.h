/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a debugger sees of the runtime; see debug.c.
 *
 * The layout is read and written by src/gdb/heddle_gdb.py through the debugger, by this order of
 * fields and with no help from debug information, which the program may have lost: change
 * DEBUG_VERSION there and here with it.
 */
#ifndef HEDDLE_RT_DEBUG_H
#define HEDDLE_RT_DEBUG_H

#include "rt/rt.h"

struct thread;

#define DEBUG_VERSION 1

/* Why heddle_gdb_stop is called. */
enum debug_reason {
	DEBUG_NONE,
	DEBUG_EVENT,	    /* the next event is number stop_event, as the debugger wished */
	DEBUG_FINDING,	    /* the last event is a failure */
	DEBUG_SCHEDULE_END, /* the recorded run went no further */
	DEBUG_DIVERGED,	    /* the schedule cannot be followed */
};

struct debug {
	uint32_t version;
	uint32_t reason; /* enum debug_reason */
	/* set by the debugger: the program waits for it before it begins */
	volatile uint32_t is_attached;
	uint32_t unused;
	/*
	 * The number of events so far is stop_event - *events_left.  Before event stop_event the
	 * program stops; the debugger may change both words together, to anything from the next
	 * event to end_event.
	 */
	uint64_t stop_event;
	uint64_t end_event;
	uint64_t *events_left;
	struct thread **running;
	struct thread **live; /* array */
	uint32_t *live_count;
	const char *code_start, *code_end; /* of the runtime itself */
	/* Where in a struct thread and a struct sync what is. */
	uint32_t thread_id, thread_tid, thread_state, thread_name, thread_start, thread_wait_on,
		thread_wait_thread, thread_wait_is_timed;
	uint32_t sync_addr, sync_mode, sync_owner;
};
extern struct debug heddle_gdb;

/* The debugger's breakpoint is here. */
void heddle_gdb_stop(void);

/* Before anything of the program runs: wait for the debugger, if there is to be one. */
void debug_await(void);
/* Let the debugger look, if there is one. */
void debug_stop(enum debug_reason reason);
/* Event stop_event is next: whether the run may go on. */
bool debug_passes_event(void);

#endif
