/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Awaits: a thread that spins is recognised exactly, and does not run until something that it has
 * read changes.
 *
 * At a hook the state of a thread, as far as its own code goes, is its callee-saved registers and
 * its live stack; all other memory, its TLS too, it reads and writes by hooks.  If it comes to
 * the same hook twice with the same state, has changed nothing in between that lasts (no store
 * but to its own stack, no allocation, no synchronisation, output or choice), and every location
 * that it read gave one value, then it will do the same again and again: running it is of no use
 * before another thread, or a flush, changes one of those locations.  A store of what the thread
 * itself has stored there last counts as a read: it changes something once another thread has.
 * (Not a store of what happens to be there: whether it is one depends on others.)  So does a try
 * that failed: it is of no use before what was tried is to be had.  A loop that counts its rounds
 * has another state each time and is never taken for an await, nor is a bounded retry.
 *
 * Whether a thread stands before an await, and for what it waits, depends on nothing but its own
 * path and what it read: equivalent executions have the same awaits at the same hooks.  Others
 * only decide whether it can go on, which is told like the wait for a lock, whether it has to
 * wait or not.  It has made a whole round before; so a round in which others change something
 * halfway is among the executions, although the thread waits at the beginning of the next one.
 *
 * A thread's stack is its own affair until another thread uses a part of it.  Bytes that others
 * have written since the state was copied are no part of the state (FOREIGN): the thread reads
 * them by hooks, like all that is shared, and is taken to know what it saw or left there last.
 * Changing a byte that another thread has ever used lasts (SHARED).
 *
 * A round may take locks (mutexes, spin locks, read-write locks for reading or writing) if it
 * gives them back: the next round takes them again, and finds what they guard as it was.  Others
 * notice such a round only if they try one of these locks, or wait for it with a deadline, while
 * the thread has it.  The round in which that happens is an effect, so it is no await; that a try
 * fails depends on the lock and is the same in equivalent executions.  A thread that just waits
 * for the lock does not notice the round: without it, it would have got the lock.  (A read-write
 * lock that lets writers first is left out: a thread that waits to write keeps others from
 * reading, so there a wait is noticed.)  A lock that the thread had at its anchor must not be
 * released.
 *
 * A lock that a round takes by a try is one of these, and something that the round has seen: it
 * was free. The next round differs if the try fails, so the thread also goes on while the lock is
 * taken.
 *
 * A round may sleep: nothing happens by that but time.  Time is seen by looking at a clock, so a
 * thread that has looked at one is taken to wait for a moment, and its sleeps are effects.  A
 * clock that is looked at after a round that slept or took a lock may show another time than
 * after further rounds: that is told as a choice which is not tried in full, whoever looks, so
 * such a search is never called complete.
 *
 * The first visit is an anchor: registers and stack are copied once the thread has made QUIET
 * hooks without an effect, and again each time their number has doubled, so that a loop is
 * recognised whatever was on its way in (Brent's way to find cycles).  In between the anchor
 * moves to the present state when the thread is back at its hook with another state, if it has
 * seen a shared location change since, or else once: registers keep values of earlier rounds,
 * also such as are not used any more, so after a change it takes a round until the state can come
 * back at all.  Without that each change would cost as many rounds as the thread has made before,
 * and every number of rounds is an execution of its own.
 *
 * The wait is not a blocked state of the thread: it stands before its next step, and others are
 * chosen. So a schedule that was recorded holds preemptions at hooks, which a replay can follow.
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/cancel.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/mem.h"
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

/* few, since each round before is a round that others may interrupt in vain */
#define QUIET 2
#define READS_MAX 64	  /* locations; a loop that reads more is not recognised */
#define STACK_MAX 0x4000u /* live bytes; likewise */
#define STORES_MAX 8	  /* places to which a loop stores; likewise */
#define LOCKS_MAX 4	  /* that a loop has at a time; likewise */

enum { FOREIGN = 1, SHARED = 2 };

/* What the thread has stored last, and where. */
struct await_store {
	uintptr_t addr;
	uint64_t value;
	uint32_t size; /* at most 8; 0: none */
};

struct await {
	/* the last: something was read that cannot be waited for */
	bool is_anchored, is_useless;
	bool has_seen_change; /* of what is shared, since the anchor */
	bool was_moved;	      /* the anchor, since their distance was doubled */
	uint32_t quiet;	      /* hooks since the last effect */
	uint32_t again;	      /* how many of them make a new anchor */
	pc_t pc;
	struct hook_registers registers;
	uint32_t reads_count;
	struct await_read reads[READS_MAX];
	uint32_t locks_count; /* taken in this round and not given back */
	uintptr_t locks[LOCKS_MAX];
	bool takes_time;      /* the round has slept or taken a lock */
	bool has_looked;      /* the thread has looked at a clock */
	pc_t cancel_pc;	      /* where the round has looked for a request to end; 0: it has not */
	uint32_t stores_next; /* to be given up for another one */
	struct await_store stores[STORES_MAX];
	/* The last bytes of its stack: from `lowest` on there may be marks, from registers.sp on
	 * it was copied. */
	uintptr_t lowest;
	uint8_t stack[STACK_MAX], marks[STACK_MAX];
};

/* A round that took time was left out: clocks may show what they would not show otherwise. */
static RT_STATE bool time_is_short;

static void forget(struct thread *t)
{
	t->spin.await->is_anchored = false;
	t->spin.await->quiet = t->spin.await->reads_count = 0;
	t->spin.awaits = t->spin.passes = false;
}

/* Something was done that lasts. */
static void forget_rounds(struct thread *t)
{
	forget(t);
	repeat_forget(t);
}

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
	t->spin.at_choice = t->spin.repeats = false;
	struct await *a = t->spin.await;
	rt_memset(a->marks + a->lowest, 0, STACK_MAX - a->lowest);
	a->lowest = STACK_MAX;
	a->has_looked = false;
	a->stores_next = 0;
	rt_memset(a->stores, 0, sizeof(a->stores));
	forget(t);
}

static uintptr_t window_of(const struct thread *t)
{
	return t->stack.high - STACK_MAX;
}

static bool is_own_stack(uintptr_t addr)
{
	return addr - g.stack_low < g.stack_size;
}

/* Bytes of a stack, as far as they can have marks. */
static void mark(struct thread *t, uintptr_t addr, size_t size, uint8_t with)
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
static bool is_marked(uintptr_t addr, size_t size, uint8_t with)
{
	uintptr_t at = addr - window_of(g.cur);
	for (size_t i = 0; i < size; i++)
		if (at + i < STACK_MAX && g.cur->spin.await->marks[at + i] & with)
			return true;
	return false;
}

/* Somebody else uses what lies on a thread's stack. */
static void mark_others(uintptr_t addr, size_t size, uint8_t with, const struct thread *user)
{
	bool is_on_stack = fiber_has_foreign_stacks || (addr >= ARENA_STACKS && addr < ARENA_ARGS);
	for (uint32_t i = 0; is_on_stack && i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (t == user || !t->spin.await ||
		    addr - t->stack.low >= t->stack.high - t->stack.low)
			continue;
		mark(t, addr, size, with);
		if (with & FOREIGN)
			repeat_written(t, addr, size);
	}
}

bool await_is_private(uintptr_t addr, size_t size)
{
	return is_own_stack(addr) && !is_marked(addr, size, FOREIGN | SHARED);
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
	forget(g.cur);
}

static uint64_t value_at(uintptr_t addr, uint32_t size)
{
	uint64_t v = 0;
	rt_memcpy(&v, (const void *)addr, size);
	return v;
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
	rounds_read(addr, size, pc);
}

/* Whether a try of the object would succeed. */
static bool is_to_be_had(uintptr_t addr, unsigned mode)
{
	const struct sync *s = sync_find(addr);
	if (!s)
		return true;
	if (mode == SYNC_SEMAPHORE)
		return s->value;
	if (FAULT(AWAIT_IGNORES_WAITING_WRITER) && mode == SYNC_RDLOCK)
		return !s->owner;
	if (mode == SYNC_RDLOCK || mode == SYNC_WRLOCK)
		return rwlock_is_to_be_had(s, mode);
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
	/* An object that could be had fails for another reason, which no release changes. */
	bool is_simple = sync_is_lock(mode) || mode == SYNC_SEMAPHORE;
	if (!is_simple || is_to_be_had(addr, mode))
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
	if (a->locks_count == LOCKS_MAX) {
		forget(g.cur);
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
	/* One that it had before: the next anchor is where it has it no longer. */
	if (i == a->locks_count)
		a->is_anchored = false;
	else
		a->locks[i] = a->locks[--a->locks_count];
}

static void is_noticed(struct thread *t, uintptr_t lock)
{
	if (FAULT(NOTICED_ROUND_IS_AWAIT))
		return;
	if (t && t != g.cur && t->spin.await && t->spin.await->is_anchored &&
	    lock_in_round(t->spin.await, lock) < t->spin.await->locks_count)
		forget_rounds(t);
}

void await_noticed(uintptr_t addr)
{
	const struct sync *s = sync_find(addr);
	if (!s)
		return;
	is_noticed(s->owner, addr);
	if (FAULT(TRY_IGNORES_READERS))
		return;
	for (const struct hold *h = s->shares; h; h = h->next_of_lock)
		is_noticed(h->thread, addr);
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
		forget(g.cur);
	a->takes_time = true;
}

void await_looked(void)
{
	forget_rounds(g.cur);
	g.cur->spin.await->has_looked = true;
	if (!time_is_short || !g.exploring)
		return;
	g.cur->step.flags |= OPF_BOUNDED;
	explore_tell_step();
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
	if (!is_own_stack(addr) || is_marked(addr, size, SHARED)) {
		repeat_forget(g.cur);
		bool is_effect = !is_stored_again(addr, size) || changes;
		if (is_effect)
			forget(g.cur);
		else if (a->is_anchored)
			note_read(addr, size, pc);
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
	uintptr_t at = a->registers.sp - window_of(g.cur);
	const uint8_t *now = (const uint8_t *)window_of(g.cur);
	if (a->lowest >= STACK_MAX)
		return !rt_memcmp(a->stack + at, now + at, STACK_MAX - at);
	for (; at < STACK_MAX; at++)
		if (a->stack[at] != now[at] && !(a->marks[at] & FOREIGN))
			return false;
	return true;
}

static bool is_same_state(const struct await *a)
{
	return a->pc == g.hook_pc &&
	       !rt_memcmp(&a->registers, &rt_hook_registers, sizeof(a->registers)) &&
	       has_same_stack(a);
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
		bool is_private =
			!r->tries && is_own_stack(r->addr) && !is_marked(r->addr, r->size, FOREIGN);
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
		bool is_private = is_own_stack(r.addr) && !is_marked(r.addr, r.size, FOREIGN);
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
			if (is_to_be_had(r->addr, r->tries) != r->has_succeeded)
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

bool await_goes_on(const struct thread *t)
{
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
		time_is_short |= a->takes_time;
		/* what lies on its own stack is less likely what others are to change */
		uint32_t shown = 0;
		while (shown + 1 < a->reads_count && is_own_stack(a->reads[shown].addr))
			shown++;
		bool has_reads = a->reads_count;
		if (g.exploring || !has_changed(g.cur))
			ev_sync(EV_AWAIT, has_reads ? a->reads[shown].addr : 0, 0, a->reads_count,
				0, has_reads ? a->reads[shown].pc : a->cancel_pc);
		return;
	}
	if (a->is_anchored ? a->quiet >= a->again : a->quiet >= QUIET) {
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

/* What it waits for is not read here, so nobody who sleeps is woken by it. */
void await_tell(void)
{
	const struct await *a = g.cur->spin.await;
	bool looks = a->cancel_pc && cancel_is_looked_for(g.cur) && !g.cur->spin.repeats;
	explore_tell(OP_AWAIT, 0, 0, a->reads_count + looks, 0, 0, g.hook_pc);
	for (uint32_t i = 0; i < a->reads_count; i++) {
		const struct await_read *r = &a->reads[i];
		if (r->tries)
			explore_tell(EV_TRY_FAIL, r->addr, 0, 0, r->tries,
				     r->has_succeeded ? OPF_SUCCEEDED : 0, r->pc);
		else
			explore_tell(EV_READ, r->addr, r->value, r->size, 0, 0, r->pc);
	}
	if (looks)
		explore_tell(EV_HIDDEN, PENDING_OF(g.cur->id), PENDING_NONE, 0, HIDDEN_CANCEL, 0,
			     a->cancel_pc);
}

bool await_is_round(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->spin.repeats)
			return true;
	return false;
}

bool await_somebody(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->spin.awaits)
			return true;
	return false;
}
