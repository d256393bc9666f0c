/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the wrappers of libc functions share.
 *
 * A wrapper is one step of its thread: the hook and its scheduling point, then the reads, the call, the
 * writes, with no other thread in between.  Calls that come from a library without hooks are that library's
 * business: it is as invisible to us as the rest of what it does.
 */
#ifndef HEDDLE_RT_LIBC_WRAP_H
#define HEDDLE_RT_LIBC_WRAP_H

#include "rt/real.h"
#include "rt/rt.h"

/* A second name of a wrapper: same arguments, same behaviour. */
#ifdef __clang__
#define LIBC_ALIAS(of) __attribute__((visibility("default"), weak, alias(#of)))
#else
#define LIBC_ALIAS(of) __attribute__((visibility("default"), weak, alias(#of), copy(of)))
#endif

/* false: call the real function and nothing else. */
static inline bool libc_enter(pc_t pc)
{
	if (likely(!g.active) || g.internal || rt_is_libc_code(pc))
		return false;
	rt_enter(pc);
	rt_point();
	return true;
}

/* Before a function writes: is the memory alive? */
static inline void libc_will_write(const void *p, size_t n, pc_t pc)
{
	uintptr_t at = (uintptr_t)p;
	if (!n || !heap_contains(at))
		return;
	if (unlikely(heap_state(at) > HEAP_INSIDE || heap_state(at + n - 1) > HEAP_INSIDE))
		heap_check_range(at, n, true, pc);
}

/* A string with its terminator. */
static inline void libc_read_string(const char *s, pc_t pc)
{
	rt_libc_read(s, rt_strlen(s) + 1, pc);
}

static inline void libc_wrote_string(const char *s, pc_t pc)
{
	rt_libc_wrote(s, rt_strlen(s) + 1, pc);
}

/* For memory that the function may have left alone: a write only if its content is new. */
static inline void libc_wrote_if_changed(const void *p, size_t n, pc_t pc)
{
	if (rt_memcmp(p, (const void *)SHADOW(p), n))
		rt_libc_wrote(p, n, pc);
}

/*
 * Around the real function: it may allocate, and may sleep in the kernel (a full pipe, a terminal); no other
 * thread runs meanwhile.
 */
static inline void libc_call_begin(void)
{
	g.no_preempt++;
	g.session->sleep_allowed++;
}

static inline void libc_call_end(void)
{
	g.session->sleep_allowed--;
	g.no_preempt--;
}

/* Evaluate a call of a real function between the two; gives its result. */
#define LIBC_CALL(call)                          \
	__extension__({                          \
		libc_call_begin();               \
		__typeof__(call) result_ = call; \
		libc_call_end();                 \
		result_;                         \
	})

/* Access to an object inside libc that has no address of its own in the program. */
static inline void libc_hidden(const void *object, bool changes, pc_t pc)
{
	ev_sync(EV_HIDDEN, (uintptr_t)object, 0, changes, 0, pc);
}

#endif
