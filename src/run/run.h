/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime of `heddle run`: what all its files need.
 *
 * Threads are real and run in parallel.  Every access that the compiler reports is compared with
 * the last accesses to the same eight bytes, under two orders at once: happens-before (what the
 * observed run ordered) and the weak order EDC of OVPredict, in which a lock orders two critical
 * sections only if they contain conflicting accesses.  A conflicting pair that neither order
 * relates is a race that happened.  A pair that only happens-before relates is a race that
 * another schedule can show.
 *
 * Headers, from the lowest to the highest layer:
 *
 *   run.h, address.h, memory.h       options and global state; the layout of the shadow; memory
 *   clock.h, stamp.h, shadow.h       vector clocks; stamps; cells
 *   found.h                          a pair of actions that is reported
 *   history.h, stacks.h              call stacks of actions; which memory is a stack
 *   lock.h                           critical sections and the locks that a thread holds
 *   object.h, nest.h, order.h        synchronisation objects; nested sections; lock orders
 *   thr.h                            a thread as the analysis knows it
 *   guard.h, hazard.h, late.h        the runtime's own locks; stamps in use; late writes
 *   ticks.h, cells.h                 inline parts of clocks and cells
 *   thread.h, start.h, signals.h ... the running program
 *   message.h, report.h              messages to the tool
 *   state.h, crash.h                 the end of the process, and what every thread does then
 *
 * The core (the files of RUN_CORE in the Makefile) knows a thread as struct thr only and passes
 * what it finds to run_found().  The drivers of tests/run_vs_reference and unit tests link it
 * without the rest and feed it recorded interleavings.
 *
 * Rules:
 *
 * - No heap and no stdio of libc.  Memory comes from run_map() and run_alloc() and is never
 *   returned.  libc is called through real.h or by raw system calls.
 * - The only thread-local variable is run_self, in the initial-exec model.
 * - A limit that is reached may lose a report and must never cause a false one: information that
 *   is dropped is replaced by more order.
 */
#ifndef HEDDLE_RUN_RUN_H
#define HEDDLE_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/finding.h"

#define RUN_EXPORT __attribute__((visibility("default"), weak))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define PC ((uintptr_t)__builtin_return_address(0))

#define SLOTS_MAX 8192 /* threads alive at once */

struct thr;
/* The calling thread; NULL in a process that is not watched and in threads without a slot. */
extern __thread struct thr *run_self __attribute__((tls_model("initial-exec")));

struct options {
	uint32_t sections_kept; /* release clocks that a lock keeps one by one */
	bool is_predicting;	/* the weak order is used, too */
	bool sees_writes;	/* a read is ordered after a racing write that it may have seen */
	bool halts;		/* the first report ends the process */
	int exit_code;
	uint32_t history;   /* parts for each thread */
	uint32_t limit;	    /* reports */
	uint32_t exit_wait; /* milliseconds that exit gives to other threads */
	bool finds_lock_orders, finds_fd;
	bool finds_thread_leaks, finds_signals; /* handlers that do what they must not do */
};

struct run_state {
	struct thr *slots[SLOTS_MAX];
	uint32_t slot_count;
	uint32_t is_parallel; /* there has been more than one thread */
	uint32_t resets;      /* resets of the shadow: begun and ended, odd during one (stamp.c) */
	uint32_t is_active;
	/* Atomic accesses of different size or alignment overlap: objects do not know all. */
	bool has_mixed_atomics;
	bool has_cancelled;    /* a thread has cancelled another one (wrap_process.c) */
	uint32_t unregistered; /* guards held by threads that have no struct thr */
	struct options options;
};

extern struct run_state run_state;

#endif
