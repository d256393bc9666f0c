/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that comes back to a choice in a state that it had there before, with no effect on
 * others in between: nothing but its own choices lies between the two visits.  It does not go on
 * in this execution.
 *
 * No outcome is lost.  Let E be an execution in which the thread goes on after such a round R.  R
 * changed nothing that lasts, so without the steps of R every other thread does the same as in E;
 * and the thread itself is before R in the state in which it is after it, so it does what it did
 * in E after R.  That is an execution E' with the same output and end, and it is shorter.  If it
 * has such a round, too, the same holds for it; so there is one that has none, and those are all
 * explored: whether a thread has made a round depends on nothing but its own path, so for the
 * reduction it is a thread that ends there.  R itself is part of an execution, so races with its
 * reads, and failures in it, are found.  What is not found is a livelock of rounds that no choice
 * leads out of, since that has no end.
 *
 * The state is what await.c says: callee-saved registers and live stack.  Bytes of the stack that
 * another thread has written since the first visit are no part of it: they are shared memory, which
 * the thread reads by hooks.  If they were compared, a store of another thread that the round does
 * not read would decide whether the thread stops.  An effect is what await.c takes for one, and any
 * store outside the thread's own part of its stack, also one of a value that is there already:
 * another thread may have changed it, and then the round is visible.  (Reads may give different
 * values: the next round need not be like this one.)
 *
 * A thread has copies of the last states, at most STATES_MAX and as many as COPIES_MAX bytes hold.
 * When there is no room it forgets all of them, and a round is recognised one round later.
 */
#include "wire/fault.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/repeat.h"
#include "rt/thread.h"

#define STATES_MAX 256
#define STACK_MAX 0x4000u /* live bytes; a thread with more is not watched */
#define COPIES_MAX (16 * STACK_MAX)

struct repeat_state {
	pc_t pc;
	struct hook_registers registers;
	uint64_t time;
	uint32_t first; /* where the copy of its stack begins */
};

struct repeat {
	uint32_t count, used;
	uint64_t time; /* grows with each state and each store of another thread; never reset */
	struct repeat_state states[STATES_MAX];
	/* when another thread has last written the byte, counted from the top of the stack */
	uint64_t written[STACK_MAX];
	uint8_t copies[COPIES_MAX];
};

void repeat_prepare(struct thread *t)
{
	if (!t->spin.repeat)
		t->spin.repeat = rt_map_kept(sizeof(*t->spin.repeat));
	repeat_forget(t);
}

void repeat_forget(struct thread *t)
{
	if (!FAULT(EFFECTIVE_ROUND_IS_IDLE))
		t->spin.repeat->count = t->spin.repeat->used = 0;
}

void repeat_written(struct thread *t, uintptr_t addr, size_t size)
{
	struct repeat *r = t->spin.repeat;
	r->time++;
	for (size_t i = 0; i < size; i++)
		if (t->stack.high - (addr + i) - 1 < STACK_MAX)
			r->written[t->stack.high - (addr + i) - 1] = r->time;
}

static bool is_same_state(const struct repeat *r, const struct repeat_state *s)
{
	uintptr_t sp = rt_hook_registers.sp;
	if (s->pc != g.hook_pc ||
	    rt_memcmp(&s->registers, &rt_hook_registers, sizeof(s->registers)) != 0)
		return false;
	const uint8_t *then = r->copies + s->first, *now = (const uint8_t *)sp;
	size_t live = g.cur->stack.high - sp;
	for (size_t i = 0; i < live; i++)
		if (then[i] != now[i] && r->written[live - i - 1] <= s->time)
			return false;
	return true;
}

bool repeat_at_choice(void)
{
	struct repeat *r = g.cur->spin.repeat;
	uintptr_t sp = rt_hook_registers.sp;
	if (!r || sp < g.cur->stack.low || sp >= g.cur->stack.high ||
	    g.cur->stack.high - sp > STACK_MAX)
		return false;
	for (uint32_t i = 0; i < r->count; i++)
		if (is_same_state(r, &r->states[i]))
			return true;
	uint32_t live = (uint32_t)(g.cur->stack.high - sp);
	if (r->count == STATES_MAX || COPIES_MAX - r->used < live)
		r->count = r->used = 0;
	r->states[r->count++] =
		(struct repeat_state){ g.hook_pc, rt_hook_registers, ++r->time, r->used };
	rt_memcpy(r->copies + r->used, (const void *)sp, live);
	r->used += live;
	return false;
}
