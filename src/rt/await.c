/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Awaits: a thread that spins is recognised exactly, and is not scheduled until something that it
 * has read changes.
 *
 * At a hook the state of a thread, as far as its own code is concerned, is its callee-saved
 * registers and its live stack; it reads and writes all other memory, its TLS too, by hooks.
 * A thread awaits if
 *  - it comes to the same hook twice with the same state,
 *  - it has had no lasting effect in between (no store but to its own stack, no allocation, no
 *    synchronisation, output or choice), and
 *  - each location that it read gave one value.
 * Then it will repeat the round, and running it has no effect before another thread, or a flush,
 * changes one of those locations.  Two more events count as reads:
 *  - A store of the value that the thread itself has stored there last: it changes something only
 *    after another thread has.  (Not a store of the value that happens to be in memory: whether it
 *    is one depends on other threads.)
 *  - A try that failed: it fails until what was tried is available.
 * A loop that counts its rounds has another state each time and is never an await, nor is a bounded
 * retry.
 *
 * Whether a thread stands before an await, and what it awaits, depends only on its own path and
 * the values that it read, so equivalent executions have the same awaits at the same hooks.  Other
 * threads only decide whether it can continue, which is listed like the wait for a lock, whether
 * it has to wait or not.  It has made a whole round before; so a round in which others change
 * something halfway is among the executions, although the thread waits at the beginning of the
 * next one.
 *
 * A thread's stack is private until another thread uses a part of it.  Bytes that others have
 * written since the state was copied are not part of the state (FOREIGN): the thread reads them by
 * hooks, like all shared memory, and is assumed to know the value that it read or wrote there
 * last.  Changing a byte that another thread has ever used is a lasting effect (SHARED).
 *
 * A round may take locks (mutexes, spin locks, read-write locks for reading or writing) if it
 * releases them: the next round takes them again, and finds what they guard unchanged.  Other
 * threads can observe such a round only if they try one of these locks, or wait for it with a
 * deadline, while the thread holds it.  The round in which that happens is an effect, so it is no
 * await; that a try fails depends on the lock and is the same in equivalent executions.  A thread
 * that just waits for the lock does not observe the round: without the round it would have got the
 * lock.  (A read-write lock that prefers writers is left out: a waiting writer keeps others from
 * reading, so there a wait is observable.)  A lock that the thread held at its anchor must not be
 * released.
 *
 * A lock that a round takes by a try is one of these, and also something that the round has read:
 * it was free.  The next round differs if the try fails, so the thread also continues while the
 * lock is taken.
 *
 * A round may sleep: its only effect is that time passes.  Time is observed by reading a clock, so
 * a thread that has read one is assumed to wait for a moment, and its sleeps are effects.  A clock
 * that is read after a round that slept or took a lock may show another time than after further
 * rounds: that is listed as a choice that is not tried in full, whichever thread reads the clock,
 * so such a search is never called complete.
 *
 * The first visit is an anchor: registers and stack are copied once the thread has made QUIET
 * hooks without an effect, and again each time their number has doubled, so that a loop is
 * recognised whatever preceded it (Brent's algorithm for finding cycles, BIT 20, 1980).  In between
 * the anchor moves to the present state when the thread is back at its hook with another state, if
 * it has seen a shared location change since, or else once.  Registers keep values of earlier
 * rounds, also ones that are not used any more, so after a change it takes a round until the state
 * can repeat at all.  Without the move each change would cost as many rounds as the thread has
 * made before, and each number of rounds is an execution of its own.
 *
 * The wait is not a blocked state of the thread: it stands before its next step, and others are
 * chosen.  So a recorded schedule has preemptions at hooks, which a replay can follow.
 */
#include "rt/await.h"
#include "rt/await_state.h"
#include "rt/buffer.h"
#include "rt/cancel.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/repeat.h"
#include "rt/rounds.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

/* few, since each round before is a round at which useless preemptions are tried */
#define QUIET 2
/* hooks that a round of a known loop may have until it is looked for another one */
#define LONG_ROUND 1000

void await_prepare(struct thread *t)
{
	if (!g.watches)
		return;
	if (!t->spin.await) {
		t->spin.await = rt_map_kept(sizeof(*t->spin.await));
		t->spin.await->lowest = STACK_MAX;
	}
	repeat_prepare(t);
	rounds_prepare(t);
	t->spin.at_choice = t->spin.repeats = t->spin.is_stuck = false;
	struct await *a = t->spin.await;
	rt_memset(a->marks + a->lowest, 0, STACK_MAX - a->lowest);
	a->lowest = STACK_MAX;
	a->has_looked = false;
	a->stores_next = 0;
	rt_memset(a->stores, 0, sizeof(a->stores));
	await_forget(t);
}

/* From here on the thread, which runs, is watched for a round that comes back here. */
static void watch_from_here(struct await *a)
{
	uintptr_t live = a->registers.sp - window_of(g.cur);
	if (a->lowest < live) { /* what lay there has ended */
		rt_memset(a->marks + a->lowest, 0, live - a->lowest);
		a->lowest = live;
	}
	for (uintptr_t i = a->lowest; i < STACK_MAX; i++)
		a->marks[i] &= (uint8_t)~FOREIGN;
	rt_memcpy(a->stack + live, (const void *)a->registers.sp, STACK_MAX - live);
	for (uint32_t i = 0; i < a->reads_count; i++)
		a->reads[i].is_old = true;
	a->locks_count = 0;
	a->cancel_pc = 0;
	a->is_useless = a->takes_time = a->has_seen_change = false;
	a->is_anchored = true;
	await_round_begins(a);
}

static void anchor(struct await *a)
{
	a->is_anchored = false;
	if (rt_hook_registers.sp < g.cur->stack.low ||
	    g.cur->stack.high - rt_hook_registers.sp > STACK_MAX)
		return;
	a->registers = rt_hook_registers;
	a->pc = g.hook_pc;
	watch_from_here(a);
}

static bool has_same_stack(const struct await *a)
{
	uintptr_t from = a->registers.sp - window_of(g.cur), at = from;
	const uint8_t *now = (const uint8_t *)window_of(g.cur);
	if (a->lowest >= STACK_MAX && !rt_memcmp(a->stack + at, now + at, STACK_MAX - at))
		return true;
	for (; at < STACK_MAX; at++)
		if (a->stack[at] != now[at] && !(a->marks[at] & FOREIGN) &&
		    !await_byte_is_dead(a, at - from))
			return false;
	return true;
}

static bool has_same_registers(const struct await *a)
{
	const uint64_t *then = &a->registers.rbx, *now = &rt_hook_registers.rbx;
	for (unsigned i = 0; i < sizeof(a->registers) / sizeof(*then); i++)
		if (then[i] != now[i] && !await_register_is_dead(a, i))
			return false;
	return true;
}

static bool is_same_state(const struct await *a)
{
	return a->pc == g.hook_pc && has_same_registers(a) && has_same_stack(a);
}

/* Keeps the bytes of a read that are now what it gave, in pieces.  False: there is no room for
 * them. */
static bool keep_same_bytes(struct await *a, struct await_read whole, uint32_t *kept)
{
	const uint8_t *now = (const uint8_t *)whole.addr, *then = (const uint8_t *)&whole.value;
	for (uint32_t low = 0, high; low < whole.size; low = high) {
		bool is_same = now[low] == then[low];
		for (high = low + 1; high < whole.size && (now[high] == then[high]) == is_same;)
			high++;
		if (!is_same)
			continue;
		if (*kept == READS_MAX)
			return false;
		struct await_read *r = &a->reads[(*kept)++];
		*r = whole;
		r->addr += low;
		r->size = high - low;
		r->value = value_at(r->addr, r->size);
	}
	return true;
}

/*
 * The round comes back to the content that a byte of the thread's own stack had at the anchor.
 * If its first read there gave something else, the round wrote the byte before.  So its content
 * now does not matter and is not awaited: it is what an earlier call left in a frame that was
 * just entered, and no store of the program need have put it there.  False: there is no room for
 * what is left.
 */
static bool keep_unwritten(struct await *a)
{
	static RT_STATE struct await_read reads[READS_MAX];
	uint32_t count = a->reads_count, kept = 0;
	rt_memcpy(reads, a->reads, count * sizeof(*reads));
	for (uint32_t i = 0; i < count; i++) {
		const struct await_read *r = &reads[i];
		bool is_private = !r->tries && is_own_stack(r->addr) &&
				  !await_is_marked(r->addr, r->size, FOREIGN);
		if (is_private ? !keep_same_bytes(a, *r, &kept) : kept == READS_MAX)
			return false;
		if (!is_private)
			a->reads[kept++] = *r;
	}
	a->reads_count = kept;
	return true;
}

/* What is to be waited for; false: the next round may differ from this one.  Frames that have
 * been left are forgotten. */
static bool will_repeat(struct await *a)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < a->reads_count; i++) {
		struct await_read r = a->reads[i];
		if (r.is_old)
			continue;
		if (r.tries) {
			if (r.varied)
				return false;
			a->reads[kept++] = r;
			continue;
		}
		bool is_private = is_own_stack(r.addr) && !await_is_marked(r.addr, r.size, FOREIGN);
		if (is_own_stack(r.addr) && r.addr < a->registers.sp)
			continue;
		if (r.varied && !is_private)
			return false;
		if (!is_private)
			r.value = r.last;
		a->reads[kept++] = r;
	}
	a->reads_count = kept;
	if (a->is_useless || !keep_unwritten(a))
		return false;
	return a->reads_count || (a->cancel_pc && cancel_is_looked_for(g.cur));
}

/* Has the thread, which does not run, or runs and has its view laid over memory, something new to
 * read? */
static bool has_changed(const struct thread *t)
{
	for (uint32_t i = 0; i < t->spin.await->reads_count; i++) {
		const struct await_read *r = &t->spin.await->reads[i];
		if (r->tries) {
			if (await_is_available(r->addr, r->tries) != r->has_succeeded)
				return true;
			continue;
		}
		uint64_t v = value_at(r->addr, r->size);
		if (buffer_is_on() && t != g.cur)
			buffer_look(t, r->addr, r->size, &v);
		if (v != r->value)
			return true;
	}
	return false;
}

bool await_can_continue(const struct thread *t)
{
	if (t->spin.is_stuck)
		return false;
	if (!t->spin.awaits || t->needs_attention || has_changed(t))
		return true;
	/* A request to end is acted upon at cancellation points, if the round has one. */
	return cancel_is_due(&t->cancel) && !t->spin.repeats && t->spin.await->cancel_pc;
}

/*
 * The thread has come back to its anchor in another state: it saw something new on its way, or
 * what it saw before the anchor, which it may not even need any more, lies where something else
 * lies now.
 */
static bool is_round_to_forget(const struct await *a)
{
	if (FAULT(SEEN_CHANGE_IGNORED))
		return false;
	return a->is_anchored && !a->locks_count && a->pc == g.hook_pc &&
	       a->registers.sp == rt_hook_registers.sp && (a->has_seen_change || !a->was_moved);
}

/* The thread has made as many rounds as it may, and awaits what it has seen in them. */
static void await_by_rounds(struct await *a)
{
	const struct await_read *reads;
	if (!rounds_point(&reads, &a->reads_count))
		return;
	for (uint32_t i = 0; i < a->reads_count; i++)
		a->reads[i] = reads[i];
	a->is_anchored = false;
	g.cur->spin.awaits = true;
	/* In a recording the event would be one that a replay, which has no bound, does not make.
	 */
	if (g.exploring)
		ev_sync(EV_AWAIT, 0, 0, a->reads_count, 0, g.hook_pc);
}

/* The running thread is at a hook. */
void await_point(void)
{
	struct await *a = g.cur->spin.await;
	g.cur->spin.awaits = false;
	/* Its state is in registers that were not kept; a round that has such a copy has other
	 * hooks, too. */
	if (g.cur->step.is_in_copy)
		return;
	a->quiet++;
	bool is_choice = g.cur->spin.at_choice;
	g.cur->spin.at_choice = false;
	if (is_choice && repeat_at_choice()) {
		/* There is nothing that it waits for. */
		a->reads_count = 0;
		g.cur->spin.awaits = g.cur->spin.repeats = true;
		ev_sync(EV_AWAIT, 0, 0, 0, 0, g.hook_pc);
		return;
	}
	if (a->is_anchored && !a->locks_count && is_same_state(a)) {
		if (!will_repeat(a)) {
			a->again = a->quiet * 2;
			anchor(a); /* round by round until it has read one value only */
			await_by_rounds(a);
			return;
		}
		g.cur->spin.awaits = true;
		await_time_is_short |= a->takes_time;
		enum round_end end = await_round_ends(a);
		if (end == ROUND_IS_STUCK)
			return;
		if (end == ROUND_STAYS)
			await_tell_loop(a);
		bool is_back = end == ROUND_TAKEN_BACK && g.exploring;
		/* what lies on its own stack is less likely what others are to change */
		uint32_t shown = 0;
		while (shown + 1 < a->reads_count && is_own_stack(a->reads[shown].addr))
			shown++;
		bool has_reads = a->reads_count;
		if (g.exploring || !has_changed(g.cur))
			ev_sync(EV_AWAIT, has_reads ? a->reads[shown].addr : 0, 0, a->reads_count,
				is_back ? (uintptr_t)a->round.entry : 0,
				has_reads ? a->reads[shown].pc : a->cancel_pc);
		return;
	}
	if (await_is_loop_begin(a)) {
		anchor(a);
		a->again = a->quiet + LONG_ROUND;
	} else if (a->is_anchored ? a->quiet >= a->again : a->quiet >= QUIET) {
		a->again = a->quiet * 2;
		a->was_moved = false;
		anchor(a);
	} else if (is_round_to_forget(a)) {
		a->was_moved |= !a->has_seen_change;
		anchor(a);
	}
	await_by_rounds(a);
}

/* The running thread, which may have waited, goes on: it stands where it stood at its anchor. */
void await_pass(void)
{
	struct await *a = g.cur->spin.await;
	g.cur->spin.awaits = false;
	g.cur->spin.passes = true;
	a->again = a->quiet * 2;
	if (g.cur->spin.is_held)
		rounds_pass();
	else
		watch_from_here(a);
}

/* What it waits for is not read here, so no sleeping thread is woken by it. */
void await_report(const struct wire_op *taken_back)
{
	const struct await *a = g.cur->spin.await;
	bool looks = a->cancel_pc && cancel_is_looked_for(g.cur) && !g.cur->spin.repeats;
	uint64_t from = taken_back ? explore_list_number(taken_back) : 0;
	explore_list_entry(OP_AWAIT, 0, from, a->reads_count + looks, 0,
			   taken_back ? OPF_TAKEN_BACK : 0, g.hook_pc);
	for (uint32_t i = 0; i < a->reads_count; i++) {
		const struct await_read *r = &a->reads[i];
		if (r->tries)
			explore_list_entry(EV_TRY_FAIL, r->addr, 0, 0, r->tries,
					   r->has_succeeded ? OPF_SUCCEEDED : 0, r->pc);
		else
			explore_list_entry(EV_READ, r->addr, r->value, r->size, 0,
					   await_is_private(r->addr, r->size) ? EVF_STACK : 0,
					   r->pc);
	}
	if (looks)
		explore_list_entry(EV_HIDDEN, PENDING_OF(g.cur->id), PENDING_NONE, 0, HIDDEN_CANCEL,
				   0, a->cancel_pc);
}

bool await_is_round(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->spin.repeats)
			return true;
	return false;
}

bool await_is_stuck_behind(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->spin.is_stuck && has_changed(rt_threads_live[i]))
			return true;
	return false;
}

bool await_any(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->spin.awaits)
			return true;
	return false;
}
