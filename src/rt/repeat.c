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
 * The state is what await.c says: callee-saved registers and live stack.  An effect is what
 * await.c takes for one, and any store outside the thread's own part of its stack, also one of a
 * value that is there already: another thread may have changed it, and then the round is visible.
 * (Reads may give different values: the next round need not be like this one.)
 *
 * States are compared by hashes of 128 bits.  A thread has the last STATES_MAX of them.
 */
#include "rt/explore.h"
#include "rt/fault.h"

#define STATES_MAX 256
#define STACK_MAX 0x4000u /* live bytes; a thread with more is not watched */

struct state {
	uint64_t low, high;
};

struct repeat {
	uint32_t count, next;
	struct state states[STATES_MAX];
};

void repeat_prepare(struct thread *t)
{
	if (!t->repeat)
		t->repeat = rt_map_kept(sizeof(*t->repeat));
	repeat_forget(t);
}

void repeat_forget(struct thread *t)
{
	if (!FAULT(261))
		t->repeat->count = t->repeat->next = 0;
}

static void mix(struct state *s, uint64_t word)
{
	s->low = (s->low ^ word) * 0x9e3779b97f4a7c15ull;
	s->low ^= s->low >> 29;
	s->high = (s->high + word) * 0xd6e8feb86659fd93ull;
	s->high ^= s->high >> 32;
}

static struct state state_now(void)
{
	struct state s = { g.hook_pc, ~g.hook_pc };
	const uint64_t *registers = (const uint64_t *)&rt_hook_registers;
	for (size_t i = 0; i < sizeof(rt_hook_registers) / sizeof(*registers); i++)
		mix(&s, registers[i]);
	for (uintptr_t at = rt_hook_registers.sp; at + 8 <= g.cur->stack_high; at += 8) {
		uint64_t word;
		rt_memcpy(&word, (const void *)at, sizeof(word));
		mix(&s, word);
	}
	return s;
}

bool repeat_at_choice(void)
{
	struct repeat *r = g.cur->repeat;
	uintptr_t sp = rt_hook_registers.sp;
	if (!r || sp < g.cur->stack_low || sp >= g.cur->stack_high ||
	    g.cur->stack_high - sp > STACK_MAX)
		return false;
	struct state s = state_now();
	for (uint32_t i = 0; i < r->count; i++)
		if (r->states[i].low == s.low && r->states[i].high == s.high)
			return true;
	r->states[r->next] = s;
	r->next = (r->next + 1) % STATES_MAX;
	r->count += r->count < STATES_MAX;
	return false;
}
