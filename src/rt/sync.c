/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of synchronisation objects: a table from address to state, apart from the objects'
 * own memory. An object is made on first sight (static initialisers) or by its init function, and
 * ends with its memory: when it is destroyed and initialised again, when its block is freed, when
 * its stack frame is left.
 *
 * Blocking is modelled, never delegated: a thread that cannot go on is marked, others run, and
 * when the object changes all its waiters become ready and try again, in the order that the
 * schedule gives.
 */
#include "rt/clock.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/heap.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/rt.h"
#include "rt/rwlock.h"
#include "rt/sched.h"
#include "rt/stack.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

#define BUCKETS 4096
/* Objects for which memory is taken at once; few, since an explorer puts all of it back for each
 * execution. */
#define BATCH 32
#define BUCKETS_NOTED 64

static RT_KEPT struct sync *buckets[BUCKETS];
static RT_STATE struct sync *spare_objects;
static RT_STATE uint64_t lives;
/* Which buckets have been used, as far as there is room: for the next execution. */
static RT_STATE uint16_t buckets_used[BUCKETS_NOTED];
static RT_STATE uint32_t buckets_used_count;

static unsigned bucket_of(uintptr_t addr)
{
	return (unsigned)((addr >> 3) * 0x9e3779b97f4a7c15ull >> 52) & (BUCKETS - 1);
}

static struct sync *sync_new(void)
{
	if (!spare_objects) {
		struct sync *s = rt_map(BATCH * sizeof(*s));
		for (unsigned i = 0; i < BATCH; i++) {
			s[i].next = spare_objects;
			spare_objects = &s[i];
		}
	}
	struct sync *s = spare_objects;
	spare_objects = s->next;
	*s = (struct sync){ .life = ++lives };
	return s;
}

/*
 * Which life of stack memory an address belongs to: the serial number of the frame that contains
 * it, 0 outside stacks. The entry hook of a function is called with its locals above the stack
 * pointer, so the containing frame is the outermost one whose mark is not above the address.
 */
static uint32_t frame_life(uintptr_t addr)
{
	if ((addr < ARENA_STACKS || addr >= ARENA_ARGS) && !fiber_has_foreign_stacks)
		return 0;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		const struct thread *t = rt_threads_live[i];
		if (addr < t->stack.low || addr >= t->stack.high)
			continue;
		const struct frame *f = t == g.cur ? g.frame : t->calls.innermost;
		while (f - 1 > t->calls.frames && f[-1].sp <= addr)
			f--;
		return f > t->calls.frames && f->sp <= addr ? f->serial : 0;
	}
	return 0;
}

static void unlink_held(struct sync *s)
{
	struct sync **at = &s->owner->locks.held;
	while (*at && *at != s)
		at = &(*at)->next_held;
	if (*at)
		*at = s->next_held;
	s->owner = NULL;
}

/* Forget an object: no thread holds it any more, and threads that wait for it look again. */
static void drop_object(struct sync **at)
{
	struct sync *s = *at;
	if (s->owner)
		unlink_held(s);
	while (s->shares)
		rwlock_forget_reader(s->shares);
	sync_wake_all(s);
	while (s->waiters) /* those that handlers interrupt */
		sched_leave_queue(s, s->waiters);
	*at = s->next;
	s->life = 0;
	s->next = spare_objects;
	spare_objects = s;
}

static struct sync **place_of(uintptr_t addr)
{
	struct sync **at = &buckets[bucket_of(addr)];
	while (*at && (*at)->addr != addr)
		at = &(*at)->next;
	return at;
}

struct sync *sync_find(uintptr_t addr)
{
	struct sync **at = place_of(addr);
	if (*at && (*at)->frame_serial != frame_life(addr)) {
		drop_object(at);
		return NULL;
	}
	return *at;
}

static struct sync *make_object(uintptr_t addr, enum sync_mode mode)
{
	struct sync *s = sync_new();
	s->addr = addr;
	s->mode = (uint8_t)mode;
	s->frame_serial = frame_life(addr);
	unsigned b = bucket_of(addr);
	s->next = buckets[b];
	buckets[b] = s;
	if (buckets_used_count < BUCKETS_NOTED)
		buckets_used[buckets_used_count] = (uint16_t)b;
	buckets_used_count++;
	heap_mark_sync(addr);
	return s;
}

void sync_rewind(void)
{
	if (buckets_used_count > BUCKETS_NOTED)
		rt_memset(buckets, 0, sizeof(buckets));
	for (uint32_t i = 0; i < buckets_used_count && i < BUCKETS_NOTED; i++)
		buckets[buckets_used[i]] = NULL;
}

struct sync *sync_get(uintptr_t addr, enum sync_mode mode)
{
	bool was_seen = *place_of(addr) != NULL;
	struct sync *s = sync_find(addr);
	if (s && s->mode == mode)
		return s;
	if (s) /* memory that the program uses for something else now */
		drop_object(place_of(addr));
	s = make_object(addr, mode);
	if (was_seen) /* by a static initialiser, of a type that is not known yet */
		ev_sync(EV_SYNC_INIT, addr, mode, 0, 0, g.hook_pc);
	return s;
}

/* A thread that holds it; NULL if none does. */
static const struct thread *holder_of(const struct sync *s)
{
	return s->owner ? s->owner : s->shares ? s->shares->thread : NULL;
}

/* Also by threads whose wait a handler interrupts. */
static bool is_waited_for(const struct sync *s)
{
	return s->waiting || s->waiters;
}

struct sync *sync_init(uintptr_t addr, enum sync_mode mode, uint64_t type, pc_t pc)
{
	struct sync *s = sync_find(addr);
	if (s && !s->destroyed && (holder_of(s) || is_waited_for(s)))
		rt_finding(FAIL_REINIT_USED, addr, 0, pc);
	if (s)
		drop_object(place_of(addr));
	s = make_object(addr, mode);
	ev_sync(EV_SYNC_INIT, addr, mode, type, 0, pc);
	return s;
}

void sync_check_life(struct sync *s, pc_t pc)
{
	if (!s->destroyed)
		return;
	rt_finding(FAIL_USE_DESTROYED, s->addr, 0, pc);
	s->destroyed = false;
}

bool sync_destroy(struct sync *s, pc_t pc)
{
	const struct thread *holder = holder_of(s);
	sync_check_life(s, pc);
	if (holder) {
		rt_finding(FAIL_DESTROY_HELD, s->addr, holder->id, pc);
		return false;
	}
	if (is_waited_for(s)) {
		rt_finding(FAIL_DESTROY_WAITED, s->addr, 0, pc);
		return false;
	}
	s->destroyed = true;
	ev_sync(EV_SYNC_DESTROY, s->addr, s->mode, 0, 0, pc);
	return true;
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
			if (holder_of(s) && !s->destroyed)
				rt_finding(FAIL_FREE_LOCKED, s->addr, holder_of(s)->id, pc);
			drop_object(at);
		}
	}
}

void sync_each(void (*use)(struct sync *s))
{
	for (unsigned b = 0; b < BUCKETS; b++)
		for (struct sync *s = buckets[b]; s; s = s->next)
			use(s);
}

void sync_wake_all(struct sync *s)
{
	if (!s->waiting)
		return;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (t->state == THREAD_BLOCKED && t->wait.on == s)
			sched_wake(t, WAIT_WOKEN);
	}
}

void sync_take(struct sync *s, pc_t pc)
{
	s->owner = g.cur;
	s->depth = 1;
	s->next_held = g.cur->locks.held;
	g.cur->locks.held = s;
	clock_receive(s->addr);
	ev_sync(EV_ACQUIRE, s->addr, s->mode, 1, 0, pc);
}

void sync_take_again(struct sync *s, pc_t pc)
{
	s->depth++;
	ev_sync(EV_ACQUIRE, s->addr, s->mode, s->depth, 0, pc);
}

void sync_drop(struct sync *s, pc_t pc)
{
	unlink_held(s);
	s->depth = 0;
	clock_publish(s->addr);
	ev_sync(EV_RELEASE, s->addr, s->mode, 0, 0, pc);
	if (!FAULT(UNLOCK_WAKES_NONE))
		sync_wake_all(s);
}

void sync_drop_once(struct sync *s, pc_t pc)
{
	bool is_last = s->depth == 1;
	if (FAULT(RECURSIVE_MUTEX_NOT_COUNTED))
		is_last = true;
	if (is_last) {
		sync_drop(s, pc);
		return;
	}
	s->depth--;
	ev_sync(EV_RELEASE, s->addr, s->mode, s->depth, 0, pc);
}

/*
 * A robust mutex becomes an orphan that the next thread gets; any other lock stays as it is, and no
 * thread can release it.
 */
void sync_end_thread(pc_t pc)
{
	struct thread *self = g.cur;
	for (struct sync *s = self->locks.held, *next; s; s = next) {
		next = s->next_held;
		if (!s->robust) {
			rt_finding(FAIL_EXIT_HOLDING, s->addr, 0, pc);
			continue;
		}
		unlink_held(s);
		s->depth = 0;
		s->robust = ROBUST_ORPHAN;
		clock_publish(s->addr);
		ev_sync(EV_ORPHAN, s->addr, s->mode, 0, 0, pc);
		sync_wake_all(s);
	}
	for (const struct hold *h = self->locks.reads; h; h = h->next_of_thread)
		rt_finding(FAIL_EXIT_HOLDING, h->lock->addr, 0, pc);
}

/* ---- deadlock cycles ---- */

/*
 * Threads that are known to be waited for, in the order in which they were found.  A thread that is
 * blocked on a lock waits for all threads that hold it, so each thread reached must release
 * something before the first thread of the search can continue. A wait with a deadline ends by
 * itself, whatever it is for.
 */
struct search {
	uint64_t number;
	struct thread *last;
};

static void reach(struct search *search, struct thread *t, struct thread *from)
{
	bool stays =
		t == g.cur || t->locks.asks || (t->state == THREAD_BLOCKED && !t->wait.is_timed);
	if (!stays || t->locks.reached_in == search->number)
		return;
	t->locks.reached_in = search->number;
	t->locks.next_reached = NULL;
	t->locks.reached_from = from;
	search->last->locks.next_reached = t;
	search->last = t;
}

static void reach_holders(struct search *search, const struct sync *s, struct thread *from)
{
	if (s->owner)
		reach(search, s->owner, from);
	/* Readers are in the way of a reader only as long as a writer waits. */
	for (const struct hold *h = s->writers_staying ? s->shares : NULL; h; h = h->next_of_lock)
		reach(search, h->thread, from);
}

static bool closes_cycle(const struct sync *s, struct thread *other)
{
	static RT_STATE uint64_t searches;
	struct thread first = { 0 };
	struct search search = { ++searches, &first };
	if (other)
		reach(&search, other, NULL);
	else
		reach_holders(&search, s, NULL);
	for (struct thread *t = first.locks.next_reached; t; t = t->locks.next_reached) {
		if (t == g.cur)
			return true;
		const struct sync *asked = t->locks.asks ? sync_find(t->locks.asks) : NULL;
		if (asked)
			reach_holders(&search, asked, t);
		else if (t->wait.thread)
			reach(&search, t->wait.thread, t);
		else if (t->wait.on)
			reach_holders(&search, t->wait.on, t);
	}
	return false;
}

/* The request that closes the cycle fails. An explorer needs the requests before it, and what
 * the last one would have acquired in another order. */
void sync_check_cycle(const struct sync *s, struct thread *other, bool asks, pc_t pc)
{
	if (!closes_cycle(s, other))
		return;
	if (!asks)
		explore_list_wait(s, other, false);
	for (const struct thread *t = g.cur->locks.reached_from; t; t = t->locks.reached_from) {
		if (FAULT(CYCLE_WITHOUT_MEMBERS))
			break;
		if (g.exploring)
			explore_op(OP_IN_CYCLE, t->id, 0, 0, 0, 0, pc);
	}
	rt_fail(FAIL_LOCK_CYCLE, s ? s->addr : 0, 0, pc);
}

struct sync *sync_wait_free(struct sync *s, uint64_t deadline, pc_t pc)
{
	uintptr_t addr = s->addr;
	uint8_t mode = s->mode, type = s->type;
	ev_sync(EV_REQUEST, addr, mode, 0, 0, pc);
	while (s->owner) {
		if (deadline == NO_DEADLINE)
			sync_check_cycle(s, NULL, false, pc);
		bool late = sched_wait(s, NULL, deadline, false) == WAIT_TIMED_OUT;
		/* The object may have ended meanwhile; its memory may hold a new one. */
		s = sync_get(addr, mode);
		if (!s->type)
			s->type = type;
		if (late && s->owner) {
			ev_sync(EV_TIMEOUT, addr, mode, deadline, 0, pc);
			return NULL;
		}
	}
	return s;
}

bool sync_wait_lock(struct sync *s, uint64_t deadline, pc_t pc)
{
	s = sync_wait_free(s, deadline, pc);
	if (!s)
		return false;
	explore_succeeds_before(deadline);
	sync_take(s, pc);
	return true;
}
