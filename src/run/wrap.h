/* SPDX-License-Identifier: Apache-2.0 */
/* What the wrappers of locks and of other objects share. */
#ifndef HEDDLE_RUN_WRAP_H
#define HEDDLE_RUN_WRAP_H

#include "run/run.h"

/* Before a lock is waited for, after it was got, and before it is let go. */
void wrap_will_lock(struct thr *t, void *lock, enum sync_kind kind, uint32_t stack);
void wrap_locked(struct thr *t, void *lock, enum sync_kind kind, enum lock_mode mode,
		 uint32_t stack);
void wrap_unlock(struct thr *t, void *lock, enum sync_kind kind, uint32_t stack);
/* The life of an object begins and ends. */
void wrap_init(struct thr *t, void *object, enum sync_kind kind, uint32_t stack);
void wrap_destroy(struct thr *t, void *object, uint32_t stack);
/* A thread does not wait for a condition variable any more. */
void wait_leave(struct thr *t);
/* What reports call it. */
void thread_name(struct thr *t, const char *name);
/* A signal has come. */
void signal_receive(struct thr *t, int number);
/*
 * A thread that libc has made runs the program's code.  The thread that caused it prepares, as
 * for its own; the new one calls thread_adopt.
 */
void thread_will_come(struct thr *t);
void thread_adopt(uint32_t creator, uint32_t stack);
/* Hard edges through an object. */
void wrap_send(struct thr *t, void *object, enum sync_kind kind, uint32_t stack);
void wrap_receive(struct thr *t, void *object, enum sync_kind kind, uint32_t stack);

#define STACK stack_now(t, PC)

/*
 * Functions that begin and end the life of an object; `arguments` are the parameters' names in
 * parentheses.
 */
#define INIT_BY(name, parameters, arguments, object, kind)         \
	RUN_EXPORT int name parameters                             \
	{                                                          \
		struct thr *t = run_self;                          \
		if (t)                                             \
			wrap_init(t, (void *)object, kind, STACK); \
		return REAL_FN(name) arguments;                    \
	}

#define DESTROY_BY(name, type)                                  \
	RUN_EXPORT int name(type *object)                       \
	{                                                       \
		struct thr *t = run_self;                       \
		if (t)                                          \
			wrap_destroy(t, (void *)object, STACK); \
		return REAL_FN(name)(object);                   \
	}

#endif
