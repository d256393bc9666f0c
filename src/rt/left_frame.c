/* SPDX-License-Identifier: Apache-2.0 */
/* Uses of variables of functions that have returned; see left_frame.h. */
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/stack.h"
#include "rt/start.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

#define WRAPPERS_MAX 64 /* frames of the runtime on the program's stack */

/* ---- where the live part of a stack ends ---- */

/*
 * What lies above the return address into the program is the program's.  A hook's stack pointer
 * is where that address is; wrappers of libc run on the program's stack, with frame pointers, so
 * theirs is found along those. (A system call, and a fault, has left below the frame of whatever
 * made it, with no frame pointer.) Without an answer everything down to the stack pointer counts
 * as alive; one that is not on the thread's stack says nothing: 0.
 */
static uintptr_t program_end(const struct thread *t, uintptr_t sp, uintptr_t fp)
{
	uintptr_t at = sp;
	for (unsigned i = 0; i < WRAPPERS_MAX; i++) {
		if (fp & 7 || fp < at || fp > t->stack.high - 16)
			break;
		const uintptr_t *frame = (const uintptr_t *)fp;
		if (!rt_owns_code(frame[1]))
			return fp + 8;
		at = fp + 16;
		fp = frame[0];
	}
	return sp;
}

static uintptr_t live_end(const struct thread *t)
{
	const struct program_stack *left = t == g.cur ? &rt_program : &t->context.left;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (t == g.cur && here - g.stack_low < g.stack_size)
		return program_end(t, here, here);
	if (left->sp < t->stack.low || left->sp >= t->stack.high)
		return 0;
	bool is_hook = !(left->sp & 7) && !rt_owns_code(*(const uintptr_t *)left->sp);
	return is_hook ? left->sp : program_end(t, left->sp, left->fp);
}

/* The function whose frame was there, as far as no later call has taken its entry; 0: unknown. */
static pc_t function_of(const struct thread *t, uintptr_t p)
{
	const struct frame *f = t == g.cur ? g.frame : t->calls.innermost;
	if (t->state == THREAD_ENDED)
		f = t->calls.frames;
	for (unsigned i = 0; i < 64 && f + 1 < t->calls.frames + FRAMES_MAX; i++) {
		f++;
		if (!f->sp || f->sp >= f[-1].sp)
			return 0;
		if (f->sp <= p)
			return f->entry;
	}
	return 0;
}

void left_frame_check(uintptr_t p, size_t size, bool is_write, bool is_plain, pc_t pc)
{
	const struct thread *t = p - g.stack_low < g.stack_size ? g.cur : fiber_by_stack(p);
	if (!t || t->stack.is_own)
		return;
	if (t->state != THREAD_ENDED && p + size > live_end(t))
		return;
	pc_t function = function_of(t, p);
	ev_sync(EV_FRAME_LEFT, p, 0, t->id, function != 0, function ? function : pc);
	if (is_plain || g.cur->step.is_pure)
		explore_plain_access_fails();
	rt_fail(is_write ? FAIL_WRITE_LEFT : FAIL_READ_LEFT, p, size, pc);
}

/* ---- for an explorer ---- */

void left_frame_gave(uintptr_t value)
{
	struct thread *t = g.cur;
	if (value - g.stack_low >= g.stack_size)
		return;
	if (FAULT(FRAME_END_NO_STEP))
		return;
	for (uint32_t i = 0; i < t->given.count; i++)
		if (t->given.at[i] == value)
			return;
	if (t->given.count < GIVEN_MAX)
		t->given.at[t->given.count++] = value;
	else
		t->given.is_partial = true;
}

void left_frame_stored(uintptr_t addr, size_t size)
{
	if (addr - g.stack_low < g.stack_size)
		return;
	for (uintptr_t at = (addr + 7) & ~7ull; at + 8 <= addr + size; at += 8)
		left_frame_gave(*(const uintptr_t *)at);
}

void left_frame_leave(uintptr_t sp, uintptr_t above, pc_t pc)
{
	struct thread *t = g.cur;
	uintptr_t below = sp;
	bool is_given = t->given.is_partial;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < t->given.count; i++) {
		if (t->given.at[i] >= above) {
			t->given.at[kept++] = t->given.at[i];
			continue;
		}
		is_given = true;
		/* Further down are frames that were left by a jump. */
		below = t->given.at[i] < below ? t->given.at[i] : below;
	}
	t->given.count = kept;
	if (!is_given || above <= below)
		return;
	if (above > t->stack.high)
		above = t->stack.high;
	explore_op(EV_WRITE, below, 0, above - below, MODE_PLAIN, OPF_LEFT, pc);
}
