/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Awaits: a thread that spins is recognised exactly, and does not run until something that it has read changes.
 *
 * At a hook the state of a thread, as far as its own code goes, is its callee-saved registers and its live stack; all
 * other memory, its TLS too, it reads and writes by hooks.  If it comes to the same hook twice with the same state, has
 * changed nothing in between that lasts (no store but to its own stack, no allocation, no synchronisation, output or
 * choice), and every location that it read gave one value and still contains it, then it will do the same
 * again and again: running it is of no use before another thread, or a flush, changes one of those locations.  A loop
 * that counts its rounds has another state each time and is never taken for an await, nor is a bounded retry.  What it
 * read of its own stack is part of the state, and is waited for with what it contains then: others may have its address.
 *
 * The first visit is an anchor: registers and stack are copied once the thread has made QUIET hooks without an effect,
 * and again each time their number has doubled, so that a loop is recognised whatever was on its way in (Brent's way to
 * find cycles).
 *
 * The wait is not a blocked state of the thread: it stands before its next step, and others are chosen.  So a schedule
 * that was recorded holds preemptions at hooks, which a replay can follow.
 */
#include "rt/explore.h"

#define QUIET 8
#define READS_MAX 64		/* locations; a loop that reads more is not recognised */
#define STACK_MAX 0x4000u	/* live bytes; likewise */

struct await_read {
	uintptr_t addr;
	uint64_t value;
	uint32_t size;		/* at most 8 */
	pc_t pc;
};

struct await {
	bool is_anchored, is_useless;	/* the last: something was read that cannot be waited for */
	uint32_t quiet;			/* hooks since the last effect */
	uint32_t again;			/* how many of them make a new anchor */
	pc_t pc;
	struct hook_registers registers;
	uint32_t stack_size, reads_count;
	struct await_read reads[READS_MAX];
	uint8_t stack[STACK_MAX];
};

void await_forget(struct thread *t)
{
	t->await->is_anchored = false;
	t->await->quiet = 0;
	t->awaits = false;
}

void await_prepare(struct thread *t)
{
	if (!g.watches)
		return;
	if (!t->await)
		t->await = rt_map_kept(sizeof(*t->await));
	await_forget(t);
}

static bool is_own_stack(uintptr_t addr)
{
	return addr - g.stack_low < g.stack_size;
}

/* A change of a thread's stack by others is nothing that its own code will do again. */
void await_flushed(uintptr_t addr)
{
	for (uint32_t i = 0; addr >= ARENA_STACKS && addr < ARENA_ARGS && i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (addr - t->stack_low < t->stack_high - t->stack_low && !t->awaits)
			await_forget(t);
	}
}

void await_wrote(uintptr_t addr)
{
	if (is_own_stack(addr))
		return;
	await_forget(g.cur);
	await_flushed(addr);
}

void await_effect(void)
{
	await_forget(g.cur);
}

static uint64_t value_at(uintptr_t addr, uint32_t size)
{
	uint64_t v = 0;
	rt_memcpy(&v, (const void *)addr, size);
	return v;
}

void await_read(uintptr_t addr, size_t size, pc_t pc)
{
	struct await *a = g.cur->await;
	if (!a->is_anchored)
		return;
	for (size_t at = 0; at < size; at += 8) {
		uint32_t n = size - at < 8 ? (uint32_t)(size - at) : 8, i = 0;
		uint64_t v = value_at(addr + at, n);
		while (i < a->reads_count && (a->reads[i].addr != addr + at || a->reads[i].size != n))
			i++;
		if (i == READS_MAX || (i < a->reads_count && a->reads[i].value != v && !is_own_stack(addr))) {
			a->is_useless = true;
			return;
		}
		if (i == a->reads_count)
			a->reads[a->reads_count++] = (struct await_read){ addr + at, v, n, pc };
	}
}

static void anchor(struct await *a)
{
	uintptr_t high = g.cur->stack_high;
	a->is_anchored = false;
	a->again = a->quiet * 2;
	if (rt_hook_registers.sp < g.cur->stack_low || high - rt_hook_registers.sp > STACK_MAX)
		return;
	a->stack_size = (uint32_t)(high - rt_hook_registers.sp);
	rt_memcpy(a->stack, (const void *)rt_hook_registers.sp, a->stack_size);
	a->registers = rt_hook_registers;
	a->pc = g.hook_pc;
	a->reads_count = 0;
	a->is_useless = false;
	a->is_anchored = true;
}

static bool is_same_state(const struct await *a)
{
	return a->pc == g.hook_pc && !rt_memcmp(&a->registers, &rt_hook_registers, sizeof(a->registers)) &&
	       !rt_memcmp(a->stack, (const void *)rt_hook_registers.sp, a->stack_size);
}

/* Has the thread, which does not run, or runs and has its view laid over memory, something new to read? */
static bool has_changed(const struct thread *t)
{
	for (uint32_t i = 0; i < t->await->reads_count; i++) {
		const struct await_read *r = &t->await->reads[i];
		uint64_t v = value_at(r->addr, r->size);
		if (buffer_is_on() && t != g.cur)
			buffer_look(t, r->addr, r->size, &v);
		if (v != r->value)
			return true;
	}
	return false;
}

bool await_goes_on(const struct thread *t)
{
	return !t->awaits || has_changed(t);
}

/* What lies in the running thread's stack has been compared. */
static void take_own_stack(struct await *a)
{
	for (uint32_t i = 0; i < a->reads_count; i++)
		if (is_own_stack(a->reads[i].addr))
			a->reads[i].value = value_at(a->reads[i].addr, a->reads[i].size);
}

/* The running thread is at a hook. */
void await_point(void)
{
	struct await *a = g.cur->await;
	g.cur->awaits = false;
	a->quiet++;
	if (a->is_anchored && is_same_state(a)) {
		take_own_stack(a);
		if (!a->is_useless && a->reads_count && !has_changed(g.cur)) {
			g.cur->awaits = true;
			ev_sync(EV_AWAIT, a->reads[0].addr, 0, a->reads_count, 0, a->reads[0].pc);
		} else {
			anchor(a);	/* round by round until it has read one value only */
		}
		return;
	}
	if (a->is_anchored ? a->quiet >= a->again : a->quiet >= QUIET)
		anchor(a);
}

void await_tell(void)
{
	const struct await *a = g.cur->await;
	explore_op(OP_AWAIT, 0, 0, a->reads_count, 0, 0, g.hook_pc);
	for (uint32_t i = 0; i < a->reads_count; i++)
		explore_op(EV_READ, a->reads[i].addr, a->reads[i].value, a->reads[i].size, 0, 0, a->reads[i].pc);
}

bool await_somebody(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->awaits)
			return true;
	return false;
}
