/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the wrappers of libc functions share.
 *
 * A wrapper is one step of its thread: the hook and its scheduling point, then the reads, the
 * call, the writes, with no other thread in between.  Calls that come from a library without
 * hooks are that library's business: it is as invisible to us as the rest of what it does.
 *
 * Wrappers get from here what nearly each of them needs: how it begins (enter.h), events
 * (event.h), g (hot.h) and libc's own functions (real.h).
 */
#ifndef HEDDLE_RT_LIBC_WRAP_H
#define HEDDLE_RT_LIBC_WRAP_H

#include "rt/buffer.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/heap.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/libc_thread.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/outside.h"
#include "rt/probe.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/shadow.h"
#include "rt/thread.h"
#include "wire/wire.h"

/* A second name of a wrapper: same arguments, same behaviour. */
#ifdef __clang__
#define LIBC_ALIAS(of) __attribute__((visibility("default"), weak, alias(#of)))
#else
#define LIBC_ALIAS(of) __attribute__((visibility("default"), weak, alias(#of), copy(of)))
#endif

/* The same where the types have other names (struct stat64): on this machine the objects are the
 * same. */
#define LIBC_SAME(name, of) __asm__(".weak " #name "\n.set " #name ", " #of);

/* false: call the real function and nothing else. */
static inline bool libc_enter(pc_t pc)
{
	if (likely(!g.active) || g.internal || rt_is_libc_code(pc))
		return false;
	outside_selector = outside_closed;
	rt_enter(pc);
	rt_point();
	return true;
}

/* Of one that only reads and writes memory: if that fails, nothing else is missing of its step. */
static inline bool libc_enter_pure(pc_t pc)
{
	bool is_controlled = libc_enter(pc);
	if (is_controlled)
		g.cur->step.is_pure = true;
	return is_controlled;
}

/* Before a function writes: is the memory alive? */
static inline void libc_will_write(const void *p, size_t n, pc_t pc)
{
	uintptr_t at = (uintptr_t)p;
	if (!n)
		return;
	if (is_stack_address(at))
		left_frame_check(at, n, true, false, pc);
	if (!heap_contains(at))
		return;
	if (unlikely(heap_state(at) > HEAP_INSIDE || heap_state(at + n - 1) > HEAP_INSIDE))
		heap_check_range(at, n, true, false, pc);
}

/* A string with its terminator. */
static inline void libc_read_string(const char *s, pc_t pc)
{
	size_t n;
	if (likely(rt_can_read_string(s, &n)))
		rt_libc_read(s, n + 1, pc);
}

static inline void libc_wrote_string(const char *s, pc_t pc)
{
	rt_libc_wrote(s, rt_strlen(s) + 1, pc);
}

/* For memory that the function may have left alone: a write only if its content is new. */
static inline void libc_wrote_if_changed(const void *p, size_t n, pc_t pc)
{
	if (likely(rt_can_read(p, n)) && rt_memcmp(p, (const void *)SHADOW(p), n))
		rt_libc_wrote(p, n, pc);
}

/*
 * Text that libc keeps for good and shows by a pointer (a translation, a name): it is never
 * written, but it was not seen before.
 */
static inline void libc_appeared(const void *p, size_t n, pc_t pc)
{
	if (!rt_memcmp(p, (const void *)SHADOW(p), n))
		return;
	rt_memcpy((void *)SHADOW(p), p, n);
	ev_access(EV_INITIAL, p, n, MODE_PLAIN, 0, pc);
}

/*
 * Around the real function: it may allocate, and may sleep in the kernel (a full pipe, a
 * terminal); no other thread runs meanwhile.
 */
static inline void libc_call_begin(void)
{
	uintptr_t sp;
	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
	if (g.no_preempt < LIBC_CALLS)
		g.cur->library.sp[g.no_preempt] = sp;
	g.no_preempt++;
	g.session->sleep_allowed++;
	g.cur->library.were_made = true;
}

static inline void libc_call_end(void)
{
	/* A jump or an exit out of a callback has ended the outer calls already. */
	if (g.session->sleep_allowed)
		g.session->sleep_allowed--;
	if (g.no_preempt)
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

/*
 * Access to an object inside libc: one that has no address in the program (its byte here stands
 * for it), or one of many, at an address.
 */
extern __attribute__((visibility("hidden"))) char libc_hidden_objects[HIDDEN_LIMIT];

static inline void libc_object(enum hidden_object kind, const void *object, bool changes, pc_t pc)
{
	buffer_empty(); /* libc has a lock around it */
	ev_sync(EV_HIDDEN, (uintptr_t)object, kind, changes, 0, pc);
}

static inline void libc_hidden(enum hidden_object object, bool changes, pc_t pc)
{
	libc_object(object, &libc_hidden_objects[object], changes, pc);
}

/* Results of libc with strings in them: what of them a caller can see has been written.  NULL is
 * fine. */
void libc_wrote_text(const char *s, pc_t pc);
void libc_wrote_texts(char *const *list, pc_t pc); /* up to a NULL pointer */
void libc_read_text(const char *s, pc_t pc);
void libc_read_texts(char *const *list, pc_t pc);

/*
 * A wrapper in one row: its type, name, parameters and arguments, and statements before and after
 * the call of the real function.  They are written in the words that follow; `result` is what the
 * function gave.  All of it is inside the exported function, since PC is its caller.
 */
#define WRAP(type, name, parameters, arguments, before, after)    \
	RT_EXPORT type name parameters                            \
	{                                                         \
		if (!libc_enter(PC))                              \
			return REAL_FN(name) arguments;           \
		before;                                           \
		type result = LIBC_CALL(REAL_FN(name) arguments); \
		after;                                            \
		return result;                                    \
	}
#define WRAP_VOID(name, parameters, arguments, before, after) \
	RT_EXPORT void name parameters                        \
	{                                                     \
		if (!libc_enter(PC)) {                        \
			REAL_FN(name) arguments;              \
			return;                               \
		}                                             \
		before;                                       \
		LIBC_CALL((REAL_FN(name) arguments, 0));      \
		after;                                        \
	}
#define NOTHING (void)0
#define READS(p, n) rt_libc_read(p, n, PC)
#define READS_TEXT(s) libc_read_text(s, PC)
#define ROOM(p, n) libc_will_write(p, n, PC)
#define WROTE(p, n) rt_libc_wrote(p, n, PC)
#define WROTE_TEXT(s) libc_wrote_text(s, PC)
#define WROTE_CHANGES(p, n) libc_wrote_if_changed(p, n, PC)
#define LOOKS_AT(object) libc_hidden(HIDDEN_##object, false, PC)
#define CHANGES(object) libc_hidden(HIDDEN_##object, true, PC)
/* An object that a pointer argument leads to, which may be NULL. */
#define READS_OBJECT(p) rt_libc_read(p, (p) ? sizeof(*(p)) : 0, PC)
#define ROOM_OBJECT(p) libc_will_write(p, (p) ? sizeof(*(p)) : 0, PC)
#define WROTE_OBJECT(p) rt_libc_wrote(p, (p) ? sizeof(*(p)) : 0, PC)
#define WROTE_OBJECT_IF(condition, p) rt_libc_wrote(p, (condition) && (p) ? sizeof(*(p)) : 0, PC)

#endif
