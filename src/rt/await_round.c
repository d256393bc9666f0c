/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread did in its current round: what it read and tried, which locks it took, which bytes
 * of stacks other threads used.  Each event of a watched thread comes here.  An event that has a
 * lasting effect ends the round.  await.c says which events those are, and why.
 */
#include "rt/await.h"
#include "rt/await_state.h"
#include "rt/cancel.h"
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/hot.h"
#include "rt/repeat.h"
#include "rt/rounds.h"
#include "rt/rt.h"
#include "rt/rwlock.h"
#include "rt/sched.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/sync.h"
#include "wire/wire.h"

RT_STATE bool await_time_is_short;

/* Something was done that lasts. */
static void forget_rounds(struct thread *t)
{
	await_forget(t);
	repeat_forget(t);
}

/* Bytes of a stack, as far as they can have marks. */
static void mark_bytes(struct thread *t, uintptr_t addr, size_t size, uint8_t with)
{
	struct await *a = t->spin.await;
	for (size_t i = 0; i < size; i++) {
		uintptr_t at = addr + i - window_of(t);
		if (at >= STACK_MAX)
			continue;
		a->marks[at] |= with;
		if (at < a->lowest)
			a->lowest = at;
	}
}

/* The same for the running thread. */
bool await_is_marked(uintptr_t addr, size_t size, uint8_t with)
{
	uintptr_t at = addr - window_of(g.cur);
	for (size_t i = 0; i < size; i++)
		if (at + i < STACK_MAX && g.cur->spin.await->marks[at + i] & with)
			return true;
	return false;
}

/* Another thread uses a part of a thread's stack. */
static void mark_others(uintptr_t addr, size_t size, uint8_t with, const struct thread *user)
{
	bool is_on_stack = fiber_has_foreign_stacks || (addr >= ARENA_STACKS && addr < ARENA_ARGS);
	for (uint32_t i = 0; is_on_stack && i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (t == user || !t->spin.await ||
		    addr - t->stack.low >= t->stack.high - t->stack.low)
			continue;
		mark_bytes(t, addr, size, with);
		if (with & FOREIGN)
			repeat_written(t, addr, size);
	}
}

bool await_is_private(uintptr_t addr, size_t size)
{
	return is_own_stack(addr) && !await_is_marked(addr, size, FOREIGN | SHARED);
}

void await_flushed(const struct thread *t, uintptr_t addr, size_t size)
{
	mark_others(addr, size, FOREIGN | SHARED, t);
}

void await_effect(void)
{
	forget_rounds(g.cur);
}

void await_choice(void)
{
	await_forget(g.cur);
}

/* Make room; gives how many are left. */
static uint32_t forget_old(struct await *a)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < a->reads_count; i++)
		if (!a->reads[i].is_old)
			a->reads[kept++] = a->reads[i];
	return a->reads_count = kept;
}

static void note_read(uintptr_t addr, size_t size, pc_t pc)
{
	struct await *a = g.cur->spin.await;
	for (size_t at = 0; at < size; at += 8) {
		uint32_t n = size - at < 8 ? (uint32_t)(size - at) : 8, i = 0;
		uint64_t v = value_at(addr + at, n);
		while (i < a->reads_count && (a->reads[i].tries || a->reads[i].addr != addr + at ||
					      a->reads[i].size != n))
			i++;
		if (i == READS_MAX && (i = forget_old(a)) == READS_MAX) {
			a->is_useless = true;
			return;
		}
		if (i == a->reads_count)
			a->reads[a->reads_count++] = (struct await_read){
				.addr = addr + at, .value = v, .last = v, .size = n, .pc = pc
			};
		struct await_read *r = &a->reads[i];
		bool differs = !await_is_private(r->addr, n) && r->last != v;
		if (FAULT(SEEN_CHANGE_IGNORED))
			differs = false;
		a->has_seen_change |= differs;
		if (r->is_old) {
			r->value = v;
			r->is_old = r->varied = false;
		}
		r->varied |= r->value != v;
		r->last = v;
	}
}

void await_read(uintptr_t addr, size_t size, pc_t pc)
{
	g.cur->spin.passes = false;
	if (!is_own_stack(addr))
		mark_others(addr, size, SHARED, g.cur);
	if (g.cur->spin.await->is_anchored)
		note_read(addr, size, pc);
	if (!await_is_private(addr, size))
		await_saw();
	rounds_read(addr, size, pc);
}

/* Whether a try of the object would succeed. */
bool await_is_available(uintptr_t addr, unsigned mode)
{
	const struct sync *s = sync_find(addr);
	if (!s)
		return true;
	if (mode == SYNC_SEMAPHORE)
		return s->value;
	if (FAULT(AWAIT_IGNORES_WAITING_WRITER) && mode == SYNC_RDLOCK)
		return !s->owner;
	if (mode == SYNC_RDLOCK || mode == SYNC_WRLOCK)
		return rwlock_is_available(s, mode);
	return !s->owner;
}

/* What a try gives decides what the round does, like a value that is read. */
static void note_try(uintptr_t addr, unsigned mode, bool has_succeeded, pc_t pc)
{
	struct await *a = g.cur->spin.await;
	uint32_t i = 0;
	if (!a->is_anchored)
		return;
	while (i < a->reads_count && (a->reads[i].tries != mode || a->reads[i].addr != addr))
		i++;
	if (i == READS_MAX && (i = forget_old(a)) == READS_MAX) {
		a->is_useless = true;
		return;
	}
	if (i == a->reads_count)
		a->reads[a->reads_count++] = (struct await_read){ .addr = addr,
								  .size = 1,
								  .tries = (uint8_t)mode,
								  .has_succeeded = has_succeeded,
								  .pc = pc };
	struct await_read *r = &a->reads[i];
	bool differs = r->has_succeeded != has_succeeded;
	if (!FAULT(SEEN_CHANGE_IGNORED))
		a->has_seen_change |= differs;
	if (r->is_old) {
		r->has_succeeded = has_succeeded;
		r->is_old = r->varied = false;
	} else {
		r->varied |= differs;
	}
}

void await_tried(uintptr_t addr, unsigned mode, pc_t pc)
{
	g.cur->spin.passes = false;
	await_saw();
	/* An object that could be had fails for another reason, which no release changes. */
	bool is_simple = sync_is_lock(mode) || mode == SYNC_SEMAPHORE;
	if (!is_simple || await_is_available(addr, mode))
		forget_rounds(g.cur);
	else
		note_try(addr, mode, false, pc);
}

/* ---- locks and time ---- */

static uint32_t lock_in_round(const struct await *a, uintptr_t addr)
{
	uint32_t i = 0;
	while (i < a->locks_count && a->locks[i] != addr)
		i++;
	return i;
}

void await_locked(uintptr_t addr, unsigned mode, bool by_try, pc_t pc)
{
	struct await *a = g.cur->spin.await;
	g.cur->spin.passes = false;
	repeat_forget(g.cur);
	if (!a->is_anchored)
		return;
	a->takes_time = true;
	await_saw();
	if (a->locks_count == LOCKS_MAX) {
		await_forget(g.cur);
		return;
	}
	a->locks[a->locks_count++] = addr;
	if (FAULT(TRIED_LOCK_NOT_AWAITED))
		return;
	if (by_try)
		note_try(addr, mode, true, pc);
}

void await_unlocked(uintptr_t addr)
{
	struct await *a = g.cur->spin.await;
	g.cur->spin.passes = false;
	repeat_forget(g.cur);
	uint32_t i = lock_in_round(a, addr);
	if (!a->is_anchored)
		return;
	await_saw();
	/* One that it had before: the next anchor is where it has it no longer. */
	if (i == a->locks_count)
		a->is_anchored = false;
	else
		a->locks[i] = a->locks[--a->locks_count];
}

static void is_observed(struct thread *t, uintptr_t lock)
{
	if (FAULT(OBSERVED_ROUND_IS_AWAIT))
		return;
	if (t && t != g.cur && t->spin.await && t->spin.await->is_anchored &&
	    lock_in_round(t->spin.await, lock) < t->spin.await->locks_count)
		forget_rounds(t);
}

void await_found_taken(uintptr_t addr)
{
	const struct sync *s = sync_find(addr);
	if (!s)
		return;
	is_observed(s->owner, addr);
	if (FAULT(TRY_IGNORES_READERS))
		return;
	for (const struct hold *h = s->shares; h; h = h->next_of_lock)
		is_observed(h->thread, addr);
}

void await_looked_for_cancel(pc_t pc)
{
	g.cur->spin.await->cancel_pc = pc;
	if (cancel_is_looked_for(g.cur))
		g.cur->spin.passes = false;
}

void await_slept(void)
{
	struct await *a = g.cur->spin.await;
	repeat_forget(g.cur);
	if (a->has_looked)
		await_forget(g.cur);
	a->takes_time = true;
}

void await_looked(void)
{
	forget_rounds(g.cur);
	g.cur->spin.await->has_looked = true;
	if (!await_time_is_short || !g.exploring)
		return;
	g.cur->step.flags |= OPF_BOUNDED;
	explore_list_step();
}

/* Whether the thread stores what it has stored there before, as far as it remembers; now it does.
 */
static bool is_stored_again(uintptr_t addr, size_t size)
{
	struct await *a = g.cur->spin.await;
	uint64_t v = size <= 8 ? value_at(addr, (uint32_t)size) : 0;
	for (uint32_t i = 0; i < STORES_MAX; i++) {
		struct await_store *s = &a->stores[i];
		if (s->addr >= addr + size || addr >= s->addr + s->size)
			continue;
		if (s->addr == addr && s->size == size && s->value == v)
			return true;
		s->size = 0;
	}
	if (size <= 8) {
		a->stores[a->stores_next] = (struct await_store){ addr, v, (uint32_t)size };
		a->stores_next = (a->stores_next + 1) % STORES_MAX;
	}
	return false;
}

void await_wrote(uintptr_t addr, size_t size, bool changes, pc_t pc)
{
	struct await *a = g.cur->spin.await;
	g.cur->spin.passes = false;
	if (!is_own_stack(addr))
		mark_others(addr, size, FOREIGN | SHARED, g.cur);
	if (!is_own_stack(addr) || await_is_marked(addr, size, SHARED)) {
		repeat_forget(g.cur);
		bool is_effect = !is_stored_again(addr, size) || changes;
		if (is_effect)
			await_forget(g.cur);
		else if (a->is_anchored)
			note_read(addr, size, pc);
		if (!is_effect)
			await_stored_again();
		if (is_effect)
			rounds_effect(g.cur);
		else
			rounds_read(addr, size, pc);
		return;
	}
	if (!a->is_anchored)
		return;
	for (uint32_t i = 0; i < a->reads_count; i++) {
		struct await_read *r = &a->reads[i];
		if (!r->tries && !r->is_old && r->addr < addr + size && addr < r->addr + r->size)
			r->last = value_at(r->addr, r->size);
	}
}
