/* SPDX-License-Identifier: Apache-2.0 */
/* What the wrappers of locks and of other objects share. */
#ifndef HEDDLE_RUN_WRAP_H
#define HEDDLE_RUN_WRAP_H

#include <stdint.h>

#include "run/history.h"
#include "run/lock.h"
#include "run/object.h"
#include "run/place.h"
#include "run/run.h"

/* Before a lock is waited for, after it was acquired, and before it is released. */
void wrap_before_lock(struct thr *t, void *lock, enum object_kind kind, uint32_t stack);
void wrap_locked(struct thr *t, void *lock, enum object_kind kind, enum lock_mode mode,
		 uint32_t stack);
void wrap_unlock(struct thr *t, void *lock, enum object_kind kind, uint32_t stack);
/* The life of an object begins and ends. */
void wrap_init(struct thr *t, void *object, enum object_kind kind);
void wrap_destroy(struct thr *t, void *object, uint32_t stack);
/* The thread no longer waits for a condition variable. */
void wait_leave(struct thr *t);
/* Hard edges through an object. */
void wrap_send(struct thr *t, void *object, enum object_kind kind, uint32_t stack);
void wrap_receive(struct thr *t, void *object, enum object_kind kind, uint32_t stack);

#define STACK stack_now(t, PLACE)

/*
 * Functions that begin and end the life of an object; `arguments` are the parameters' names in
 * parentheses.
 */
#define INIT_BY(name, parameters, arguments, object, kind)  \
	RUN_EXPORT int name parameters                      \
	{                                                   \
		struct thr *t = run_self;                   \
		if (t)                                      \
			wrap_init(t, (void *)object, kind); \
		return REAL_FN(name) arguments;             \
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
