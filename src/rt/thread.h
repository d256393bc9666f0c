/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread of the program: struct thread, and its end and join (thread.c).
 *
 * Each concern declares its part of the struct in its own header; only identity, start and end
 * are here.  Structs of threads are never freed during an execution, so pointers to ended threads
 * stay valid until the thread is joined or detached and its slot is used again.
 */
#ifndef HEDDLE_RT_THREAD_H
#define HEDDLE_RT_THREAD_H

#include <pthread.h>

#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/cancel.h"
#include "rt/clock.h"
#include "rt/explore_step.h"
#include "rt/fiber.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/libc_thread.h"
#include "rt/outside.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/signals.h"
#include "rt/stack.h"
#include "rt/sync.h"
#include "rt/verifier.h"

struct exit_call;
struct once_frame;

#define THREAD_NONE UINT32_MAX

struct thread {
	uint32_t id;
	enum thread_state state;
	pthread_t handle;
	uint32_t slot; /* of stack and heap part */
	/* in rt_threads_live; after its end: that of the thread before it */
	uint32_t live_index;
	uint32_t priority; /* pct */
	char name[16];

	void *(*start)(void *);
	void *argument, *result;
	bool is_c11; /* start returns an int */
	bool detached;
	bool is_timer;	       /* the thread of timers (timer.h) */
	struct thread *joiner; /* the thread that waits for its end to take its result */
	struct thread *creator;
	struct once_frame *once; /* innermost one-time initialisation that it runs */
	/* destructors of its thread_local objects, newest first */
	struct exit_call *exit_calls;
	pc_t thrown_at; /* where it last threw an exception */
	/* it acts on a signal or a cancellation when it continues */
	bool needs_attention;

	struct fiber_context context;
	struct stack_memory stack;
	struct hook_stack hook;
	struct call_stack calls;
	struct saved_accesses saved;
	struct given_addresses given;
	struct thread_clock time;
	struct thread_wait wait;
	struct thread_io io;
	struct library_calls library;
	struct thread_locks locks;
	struct cancellation cancel;
	struct thread_signals signals;
	struct thread_fault fault;
	struct thread_stores stores;
	struct spin_state spin;
	struct atomic_sections atomic;
	struct thread_step step;
};

/* A detached thread, created by the running one on behalf of a call at pc. */
struct thread *thread_make(void *(*start)(void *), void *argument, pc_t pc);
uint32_t thread_count_live(void); /* of the program's threads */
/* nothing of the running thread's own code is left to run */
void thread_finish(void *result) __attribute__((noreturn));
void thread_attend(void); /* the running thread continues and needs_attention */
/* pthread_join and pthread_detach after their scheduling point */
int thread_join(pthread_t handle, void **result, pc_t pc);
int thread_detach(pthread_t handle, pc_t pc);

#endif
