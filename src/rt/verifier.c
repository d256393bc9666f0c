/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program says about its own exploration: choices and assumptions
 * (include/heddle/explore.h), and the functions that programs of the SV-COMP benchmarks declare
 * themselves.  A program that defines one of these keeps its own.
 *
 * Started without heddle a choice is 0, an assumption says nothing, and an atomic section is
 * guarded by one lock.
 *
 * The values of a type are too many to try, except those of _Bool: of the others a few are
 * (wire/nondet.h). OPF_BOUNDED and a note say so: such a search is not complete.
 */
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/hot.h"
#include "rt/libc_thread.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/start.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "rt/verifier.h"
#include "wire/explore.h"
#include "wire/nondet.h"
#include "wire/wire.h"

/* By the names that programs use: the header's are macros. */
RT_EXPORT unsigned choose_one_of(unsigned n) __asm__("heddle_choose");
RT_EXPORT void assume_that(int condition) __asm__("heddle_assume");
RT_EXPORT void __VERIFIER_assume(int condition);
RT_EXPORT void __VERIFIER_atomic_begin(void);
RT_EXPORT void __VERIFIER_atomic_end(void);
RT_EXPORT void reach_error(void);
RT_EXPORT void __VERIFIER_error(void);

/* Which of n: a choice of the thread alone. */
static uint32_t choose_alone(uint32_t n, pc_t pc)
{
	if (g.active && !g.internal)
		g.cur->spin.at_choice = n > 1;
	return rt_local_wrapper(pc) ? sched_choose(n, pc) : 0;
}

RT_EXPORT unsigned choose_one_of(unsigned n)
{
	return choose_alone(n, PC);
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

/*
 * For analyses they are critical sections of one lock: accesses in two of them are no race.
 * Under TSO and PSO a section is like a locked instruction: it begins with an empty buffer
 * (rt_wrapper), and its stores are not buffered.
 */
static void report_section(unsigned kind, uint64_t depth, pc_t pc)
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

void verifier_section_begin(uintptr_t sp, pc_t pc)
{
	if (!g.session) {
		native_begin();
		return;
	}
	if (!rt_wrapper(pc))
		return;
	if (FAULT(VERIFIER_ATOMIC_IGNORED))
		return;
	struct thread *self = g.cur;
	if (self->atomic.depth < ATOMIC_SPS)
		self->atomic.sp[self->atomic.depth] = sp;
	if (self->atomic.depth++)
		return;
	if (g.no_preempt < LIBC_CALLS)
		self->library.sp[g.no_preempt] =
			UINTPTR_MAX; /* no call into libc: libc_calls_left() */
	g.no_preempt++;
	report_section(EV_ACQUIRE, 1, pc);
}

void verifier_section_end(pc_t pc)
{
	if (!g.session) {
		native_end();
		return;
	}
	if (!g.active || g.internal || !g.cur->atomic.depth)
		return;
	rt_enter(pc);
	if (--g.cur->atomic.depth)
		return;
	report_section(EV_RELEASE, 0, pc);
	g.no_preempt--;
}

bool verifier_sections_left(uintptr_t sp)
{
	const struct thread *self = g.cur;
	bool was_inside = self->atomic.depth;
	while (self->atomic.depth && self->atomic.depth <= ATOMIC_SPS &&
	       self->atomic.sp[self->atomic.depth - 1] < sp)
		verifier_section_end(g.hook_pc);
	return was_inside && !self->atomic.depth;
}

RT_EXPORT void __VERIFIER_atomic_begin(void)
{
	verifier_section_begin(UINTPTR_MAX, PC);
}

RT_EXPORT void __VERIFIER_atomic_end(void)
{
	verifier_section_end(PC);
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

/* Which of n values, of more that there are; that others are not tried is said once. */
static uint32_t choose_bounded(uint32_t n, pc_t pc)
{
	static RT_STATE bool is_reported;
	if (g.active && !g.internal)
		g.cur->spin.at_choice = n > 1;
	if (!rt_local_wrapper(pc))
		return 0;
	if (!is_reported)
		ev_note("of the values of __VERIFIER_nondet functions only 0, 1, 2, the largest or "
			"-1, and "
			"those next to values that the program compares with are tried");
	is_reported = true;
	g.cur->step.flags |= OPF_BOUNDED;
	return sched_choose(n, pc);
}

/* `heddle cc` writes it into the linked file.  The compiler does not rely on its content: it is
 * weak. */
RT_EXPORT const struct nondet_table heddle_nondet_table = { .mark = NONDET_MARK };

static int64_t choose_integer(struct nondet_type type, pc_t pc)
{
	struct nondet_values values;
	nondet_values(&heddle_nondet_table, type, &values);
	return values.at[choose_bounded(values.count, pc)];
}

#define NONDET_INTEGER(name, type)                                  \
	RT_EXPORT type __VERIFIER_nondet_##name(void);              \
	RT_EXPORT type __VERIFIER_nondet_##name(void)               \
	{                                                           \
		return (type)choose_integer(NONDET_TYPE(type), PC); \
	}
#include "wire/nondet.def"

/* What is compared with such a value is not looked for. */
#define NONDET_FLOATING(name, type)                        \
	RT_EXPORT type __VERIFIER_nondet_##name(void);     \
	RT_EXPORT type __VERIFIER_nondet_##name(void)      \
	{                                                  \
		static const type few[] = { 0, 1, 2, -1 }; \
		return few[choose_bounded(4, PC)];         \
	}
NONDET_FLOATING(float, float)
NONDET_FLOATING(double, double)

RT_EXPORT _Bool __VERIFIER_nondet_bool(void);
RT_EXPORT _Bool __VERIFIER_nondet_bool(void)
{
	return choose_alone(2, PC);
}

/* No address is worth more than another one. */
RT_EXPORT void *__VERIFIER_nondet_pointer(void);
RT_EXPORT void *__VERIFIER_nondet_pointer(void)
{
	choose_bounded(1, PC);
	return NULL;
}
