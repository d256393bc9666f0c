/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program says about its own exploration: choices and assumptions (include/heddle/explore.h), and the
 * functions that programs of the SV-COMP benchmarks declare themselves.  A program that defines one of these
 * keeps its own.
 *
 * Started without heddle a choice is 0, an assumption says nothing, and an atomic section is guarded by one
 * lock.
 *
 * The values of a type are too many to try, except those of _Bool: of the others a few are, which is told
 * (OPF_BOUNDED, and a note), so that nobody calls that complete.
 */
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/explore.h"
#include "rt/real.h"
#include "rt/sys.h"

/* By the names that programs use: the header's are macros. */
RT_EXPORT unsigned choose_one_of(unsigned n) __asm__("heddle_choose");
RT_EXPORT void assume_that(int condition) __asm__("heddle_assume");
RT_EXPORT void __VERIFIER_assume(int condition);
RT_EXPORT void __VERIFIER_atomic_begin(void);
RT_EXPORT void __VERIFIER_atomic_end(void);
RT_EXPORT void reach_error(void);
RT_EXPORT void __VERIFIER_error(void);

RT_EXPORT unsigned choose_one_of(unsigned n)
{
	return rt_local_wrapper(PC) ? sched_choose(n, PC) : 0;
}

/* The run is of no interest, whatever would have come. */
static void assume(int condition, pc_t pc)
{
	if (condition || !rt_local_wrapper(pc))
		return;
	ev_sync(EV_ASSUME, 0, 0, 0, 0, pc);
	if (g.exploring)
		explore_end(EXPLORE_ASSUMED);
	ev_note("the run ended early: what the program assumes did not hold");
	ev_sync(EV_PROCESS_END, 0, 0, 0, 0, pc);
	rt_stop();
}

RT_EXPORT void assume_that(int condition)
{
	assume(condition, PC);
}

RT_EXPORT void __VERIFIER_assume(int condition)
{
	assume(condition, PC);
}

/* ---- sections that others see as one step ---- */

/* Native: held by the thread with this FS base; recursive. */
static RT_STATE volatile uintptr_t section_owner;
static RT_STATE uint32_t section_depth;

/* For analyses they are critical sections of one lock: accesses in two of them are no race. */
static void tell_section(unsigned kind, uint64_t depth, pc_t pc)
{
	ev_sync(kind, (uintptr_t)&section_owner, SYNC_ANNOTATED, depth, 0, pc);
}

static uintptr_t own_fs(void)
{
	uintptr_t fs;
	__asm__("mov %%fs:0, %0" : "=r"(fs));
	return fs;
}

static void native_begin(void)
{
	if (section_owner != own_fs())
		while (!__sync_bool_compare_and_swap(&section_owner, 0, own_fs()))
			sys3(SYS_sched_yield, 0, 0, 0);
	section_depth++;
}

static void native_end(void)
{
	if (section_owner == own_fs() && !--section_depth)
		__atomic_store_n(&section_owner, 0, __ATOMIC_RELEASE);
}

RT_EXPORT void __VERIFIER_atomic_begin(void)
{
	if (!g.session) {
		native_begin();
		return;
	}
	if (!rt_wrapper(PC))
		return;
	if (g.cur->atomic_depth++)
		return;
	g.no_preempt++;
	tell_section(EV_ACQUIRE, 1, PC);
}

RT_EXPORT void __VERIFIER_atomic_end(void)
{
	if (!g.session) {
		native_end();
		return;
	}
	if (!g.active || g.internal || !g.cur->atomic_depth)
		return;
	rt_enter(PC);
	buffer_empty();
	if (--g.cur->atomic_depth)
		return;
	tell_section(EV_RELEASE, 0, PC);
	g.no_preempt--;
}

/* ---- what must not be reached ---- */

static void reached(pc_t pc)
{
	if (g.active && !g.internal) {
		rt_enter(pc);
		rt_fail(FAIL_REACHED, 0, 0, pc);
	}
	REAL_FN(abort)();
}

RT_EXPORT void reach_error(void)
{
	reached(PC);
}

RT_EXPORT void __VERIFIER_error(void)
{
	reached(PC);
}

/* ---- values of any kind ---- */

/* One of a few values; which they are is told once. */
static uint32_t choose_bounded(uint32_t n, pc_t pc)
{
	static RT_STATE bool is_told;
	if (!rt_local_wrapper(pc))
		return 0;
	if (!is_told)
		ev_note("of the values of __VERIFIER_nondet functions only 0, 1, 2 and the largest "
			"or -1 are tried");
	is_told = true;
	g.cur->step_flags |= OPF_BOUNDED;
	return sched_choose(n, pc);
}

#define NONDET(name, type, last)                                                    \
	RT_EXPORT type __VERIFIER_nondet_##name(void);                              \
	RT_EXPORT type __VERIFIER_nondet_##name(void)                               \
	{                                                                           \
		uint32_t chosen = choose_bounded(4, PC);                            \
		return chosen == 3 ? (type)(last) : (type)chosen;                   \
	}

NONDET(char, char, -1)
NONDET(schar, signed char, -1)
NONDET(uchar, unsigned char, UINT8_MAX)
NONDET(short, short, -1)
NONDET(ushort, unsigned short, UINT16_MAX)
NONDET(int, int, -1)
NONDET(uint, unsigned, UINT32_MAX)
NONDET(unsigned, unsigned, UINT32_MAX)
NONDET(long, long, -1)
NONDET(ulong, unsigned long, UINT64_MAX)
NONDET(longlong, long long, -1)
NONDET(ulonglong, unsigned long long, UINT64_MAX)
NONDET(size_t, size_t, SIZE_MAX)
NONDET(u8, uint8_t, UINT8_MAX)
NONDET(u16, uint16_t, UINT16_MAX)
NONDET(u32, uint32_t, UINT32_MAX)
NONDET(loff_t, int64_t, -1)
NONDET(float, float, -1)
NONDET(double, double, -1)

RT_EXPORT _Bool __VERIFIER_nondet_bool(void);
RT_EXPORT _Bool __VERIFIER_nondet_bool(void)
{
	return rt_local_wrapper(PC) && sched_choose(2, PC);
}

/* No address is worth more than another one. */
RT_EXPORT void *__VERIFIER_nondet_pointer(void);
RT_EXPORT void *__VERIFIER_nondet_pointer(void)
{
	choose_bounded(1, PC);
	return NULL;
}
