/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread waits for, noted for the other threads. */
#ifndef HEDDLE_RUN_WAITS_H
#define HEDDLE_RUN_WAITS_H

#include "run/object.h"
#include "run/thr.h"

static inline void wait_begin(struct thr *t, const void *object, enum object_kind kind,
			      uint32_t stack)
{
	t->wait.kind = kind;
	t->wait.stack = stack;
	__atomic_store_n(&t->wait.serial, t->wait.serial + 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&t->wait.object, (uintptr_t)object, __ATOMIC_SEQ_CST);
}

static inline void wait_end(struct thr *t)
{
	__atomic_store_n(&t->wait.object, 0, __ATOMIC_SEQ_CST);
}

#endif
