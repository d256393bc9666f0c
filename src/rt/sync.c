/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of synchronisation objects: a table from address to state, apart from the objects' own memory.  An object
 * is made on first sight (static initialisers) or by its init function, and ends with its memory: when it is
 * destroyed and initialised again, when its block is freed, when its stack frame is left.
 *
 * Blocking is modelled, never delegated: a thread that cannot go on is marked, others run, and when the object changes
 * all its waiters become ready and try again, in the order that the schedule gives.
 */
#include "rt/rt.h"

#define BUCKETS 4096

static RT_STATE struct sync *buckets[BUCKETS];
static RT_STATE struct sync *spare;

static unsigned bucket_of(uintptr_t addr)
{
	return (unsigned)((addr >> 3) * 0x9e3779b97f4a7c15ull >> 52) & (BUCKETS - 1);
}

static struct sync *sync_new(void)
{
	if (!spare) {
		const unsigned batch = 1024;
		struct sync *s = rt_map(batch * sizeof(*s));
		for (unsigned i = 0; i < batch; i++) {
			s[i].next = spare;
			spare = &s[i];
		}
	}
	struct sync *s = spare;
	spare = s->next;
	*s = (struct sync){ 0 };
	return s;
}

/*
 * Which life of stack memory an address belongs to: the serial number of the frame that contains it, 0 outside stacks.
 * The entry hook of a function is called with its locals above the stack pointer, so the containing frame is the
 * outermost one whose mark is not above the address.
 */
static uint32_t frame_life(uintptr_t addr)
{
	if (addr < ARENA_STACKS || addr >= ARENA_ARGS)
		return 0;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		const struct thread *t = rt_threads_live[i];
		if (addr < t->stack_low || addr >= t->stack_high)
			continue;
		const struct frame *f = t == g.cur ? g.frame : t->frame;
		while (f - 1 > t->frames && f[-1].sp <= addr)
			f--;
		return f > t->frames && f->sp <= addr ? f->serial : 0;
	}
	return 0;
}

static void unlink_held(struct sync *s)
{
	struct sync **at = &s->owner->held;
	while (*at && *at != s)
		at = &(*at)->next_held;
	if (*at)
		*at = s->next_held;
	s->owner = NULL;
}

static void drop_object(struct sync **at)
{
	struct sync *s = *at;
	if (s->owner)
		unlink_held(s);
	sync_wake_all(s);
	*at = s->next;
	s->next = spare;
	spare = s;
}

struct sync *sync_find(uintptr_t addr)
{
	struct sync **at = &buckets[bucket_of(addr)];
	while (*at && (*at)->addr != addr)
		at = &(*at)->next;
	if (*at && (*at)->frame_serial != frame_life(addr)) {
		drop_object(at);
		return NULL;
	}
	return *at;
}

struct sync *sync_get(uintptr_t addr, enum sync_mode mode)
{
	struct sync *s = sync_find(addr);
	if (s)
		return s;
	s = sync_new();
	s->addr = addr;
	s->mode = (uint8_t)mode;
	s->frame_serial = frame_life(addr);
	s->next = buckets[bucket_of(addr)];
	buckets[bucket_of(addr)] = s;
	heap_mark_sync(addr);
	return s;
}

void sync_forget(uintptr_t start, size_t size, pc_t pc)
{
	for (unsigned b = 0; b < BUCKETS; b++) {
		for (struct sync **at = &buckets[b]; *at;) {
			struct sync *s = *at;
			if (s->addr < start || s->addr >= start + size) {
				at = &s->next;
				continue;
			}
			if (s->owner && !s->destroyed)
				rt_finding(FAIL_FREE_LOCKED, s->addr, s->owner->id, pc);
			drop_object(at);
		}
	}
}

void sync_wake_all(struct sync *s)
{
	if (!s->waiting)
		return;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (t->state == THREAD_BLOCKED && t->wait_on == s)
			sched_wake(t, WAIT_WOKEN);
	}
}

void sync_take(struct sync *s, pc_t pc)
{
	s->owner = g.cur;
	s->depth = 1;
	s->next_held = g.cur->held;
	g.cur->held = s;
	clock_receive(s->addr);
	ev_sync(EV_ACQUIRE, s->addr, s->mode, 1, 0, pc);
}

void sync_drop(struct sync *s, pc_t pc)
{
	unlink_held(s);
	s->depth = 0;
	clock_publish(s->addr);
	ev_sync(EV_RELEASE, s->addr, s->mode, 0, 0, pc);
	sync_wake_all(s);
}

/* Whom a thread waits for with no way out; NULL if there is no such thread. */
static const struct thread *awaited_by(const struct thread *t)
{
	if (t->asks) {
		const struct sync *s = sync_find(t->asks);
		return s ? s->owner : NULL;
	}
	if (t->state != THREAD_BLOCKED || t->wait_is_timed)
		return NULL;
	return t->wait_thread ? t->wait_thread : t->wait_on ? t->wait_on->owner : NULL;
}

bool sync_closes_cycle(const struct sync *s)
{
	const struct thread *t = s->owner;
	for (uint32_t steps = 0; t && steps <= rt_threads_live_count; steps++) {
		if (t == g.cur)
			return true;
		t = awaited_by(t);
	}
	return false;
}

bool sync_wait_lock(struct sync *s, uint64_t deadline, pc_t pc)
{
	uintptr_t addr = s->addr;
	uint8_t mode = s->mode, type = s->type;
	ev_sync(EV_REQUEST, addr, mode, 0, 0, pc);
	while (s->owner) {
		if (deadline == NO_DEADLINE && sync_closes_cycle(s))
			rt_fail(FAIL_LOCK_CYCLE, addr, 0, pc);
		bool late = sched_wait(s, NULL, deadline, false) == WAIT_TIMED_OUT;
		/* The object may have ended meanwhile; its memory may hold a new one. */
		s = sync_get(addr, mode);
		if (!s->type)
			s->type = type;
		if (late && s->owner) {
			ev_sync(EV_TIMEOUT, addr, mode, deadline, 0, pc);
			return false;
		}
	}
	sync_take(s, pc);
	return true;
}
