/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read-write locks, modelled.  A writer is the owner of the object, readers have a share each,
 * which counts how often the thread has taken it.  Which of the waiting threads gets a lock that
 * becomes free is decided by the schedule.
 *
 * The type of the object in the table is glibc's kind plus one.  Of the three kinds only the last
 * makes a difference: there a reader stands back while other readers hold the lock and a writer
 * waits.  (For PREFER_WRITER_NP glibc admits readers too, since a thread may read recursively.)
 */
#include "rt/clock.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/libc_wrap.h"
#include "rt/locks.h"
#include "rt/mem.h"
#include "rt/rwlock.h"
#include "rt/sched.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

#define BATCH 256

static RT_STATE struct hold *spare_holds;

static struct hold *hold_new(void)
{
	if (!spare_holds) {
		struct hold *h = rt_map(BATCH * sizeof(*h));
		for (unsigned i = 0; i < BATCH; i++) {
			h[i].next_of_lock = spare_holds;
			spare_holds = &h[i];
		}
	}
	struct hold *h = spare_holds;
	spare_holds = h->next_of_lock;
	return h;
}

static struct hold *share_of(const struct sync *s, const struct thread *t)
{
	struct hold *h = s->shares;
	while (h && h->thread != t)
		h = h->next_of_lock;
	return h;
}

void rwlock_forget_reader(struct hold *h)
{
	struct hold **at = &h->lock->shares;
	while (*at != h)
		at = &(*at)->next_of_lock;
	*at = h->next_of_lock;
	at = &h->thread->locks.reads;
	while (*at != h)
		at = &(*at)->next_of_thread;
	*at = h->next_of_thread;
	h->next_of_lock = spare_holds;
	spare_holds = h;
}

static struct sync *rwlock_of(pthread_rwlock_t *l, pc_t pc)
{
	struct sync *s = sync_get((uintptr_t)l, SYNC_WRLOCK);
	if (!s->type)
		s->type = (uint8_t)(1 + l->__data.__flags);
	sync_check_life(s, pc);
	return s;
}

/* type of a lock whose readers stand back */
#define WRITERS_FIRST (1 + PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)

bool rwlock_lets_writers_first(const struct sync *s)
{
	return s->type == WRITERS_FIRST;
}

bool rwlock_is_available(const struct sync *s, enum sync_mode mode)
{
	if (s->owner)
		return false;
	if (FAULT(WRITER_ENTERS_BESIDE_READERS) && mode == SYNC_WRLOCK)
		return true;
	if (FAULT(READER_WAITS_FOR_READERS) && mode != SYNC_WRLOCK && s->shares)
		return false;
	if (mode == SYNC_WRLOCK)
		return !s->shares;
	return !(s->type == WRITERS_FIRST && s->shares && s->writers_waiting);
}

/* Readers that acquire and release decide which other threads may read then. */
static void report_asked(const struct sync *s)
{
	if (FAULT(BLOCKED_READERS_COMMUTE))
		return;
	if (s->type == WRITERS_FIRST && s->writers_waiting)
		explore_was_requested();
}

static void take_share(struct sync *s, enum sync_mode mode, pc_t pc)
{
	if (mode == SYNC_WRLOCK) {
		sync_take(s, pc);
		return;
	}
	struct hold *h = share_of(s, g.cur);
	if (!h) {
		h = hold_new();
		*h = (struct hold){ g.cur, s, s->shares, g.cur->locks.reads, 0 };
		s->shares = g.cur->locks.reads = h;
	}
	h->depth++;
	report_asked(s);
	clock_receive(s->addr);
	ev_sync(EV_ACQUIRE, s->addr, SYNC_RDLOCK, h->depth, 0, pc);
}

/*
 * A writer counts as waiting from its first failed attempt to its last one, and not only while it
 * is blocked: readers cannot observe that it tries again after a release and finds the lock taken.
 */
static void writer_enqueue(struct sync *s, uint64_t deadline, pc_t pc)
{
	s->writers_waiting++;
	s->writers_staying += deadline == NO_DEADLINE;
	if (s->type == WRITERS_FIRST) /* readers can observe that it waits */
		explore_hidden(s->addr, SYNC_WRLOCK, WRITER_WAITS, pc);
}

static void writer_dequeue(struct sync *s, uint64_t deadline)
{
	s->writers_waiting--;
	s->writers_staying -= deadline == NO_DEADLINE;
}

/* A writer that gives up lets readers in. */
static void end_writer_wait(struct sync *s, uint64_t deadline, pc_t pc)
{
	writer_dequeue(s, deadline);
	sync_wake_all(s);
	if (s->type == WRITERS_FIRST)
		explore_hidden(s->addr, SYNC_WRLOCK, WRITER_GONE, pc);
}

/* One blocked wait; the object may be another one afterwards. */
static bool wait_until_late(struct sync *s, enum sync_mode mode, uint64_t deadline, pc_t pc)
{
	if (deadline == NO_DEADLINE) {
		if (mode == SYNC_WRLOCK && share_of(s, g.cur))
			rt_fail(FAIL_UPGRADE, s->addr, 0, pc);
		sync_check_cycle(s, NULL, false, pc);
	}
	enum wait_end end = sched_wait(s, NULL, deadline, false);
	g.cur->wait.is_to_read = false;
	return end == WAIT_TIMED_OUT;
}

static int lock(pthread_rwlock_t *l, enum sync_mode mode, struct until until, pc_t pc)
{
	uint64_t deadline, asked = 0;
	if (!wait_deadline(&until, &deadline, pc))
		return EINVAL;
	struct sync *s = rwlock_of(l, pc);
	if (s->owner == g.cur)
		return EDEADLK;
	ev_sync(EV_REQUEST, s->addr, mode, 0, 0, pc);
	while (!rwlock_is_available(s, mode)) {
		g.cur->wait.is_to_read = mode == SYNC_RDLOCK;
		bool is_new = asked != s->life;
		if (FAULT(WRITER_ANNOUNCED_AGAIN))
			is_new = true;
		if (mode == SYNC_WRLOCK && is_new)
			writer_enqueue(s, deadline, pc);
		asked = s->life;
		bool late = wait_until_late(s, mode, deadline, pc);
		s = rwlock_of(l, pc);
		if (!late || rwlock_is_available(s, mode))
			continue;
		if (mode == SYNC_WRLOCK && asked == s->life)
			end_writer_wait(s, deadline, pc);
		ev_sync(EV_TIMEOUT, s->addr, mode, deadline, 0, pc);
		return ETIMEDOUT;
	}
	if (mode == SYNC_WRLOCK && asked == s->life)
		writer_dequeue(s, deadline);
	explore_succeeds_before(deadline);
	bool would_ask = mode == SYNC_WRLOCK && s->type == WRITERS_FIRST;
	if (FAULT(WRITERS_FIRST_WAIT_NO_STEP))
		would_ask = false;
	if (would_ask)
		explore_would_request();
	take_share(s, mode, pc);
	return 0;
}

static int try_lock(pthread_rwlock_t *l, enum sync_mode mode, pc_t pc)
{
	struct sync *s = rwlock_of(l, pc);
	if (!rwlock_is_available(s, mode)) {
		ev_sync(EV_TRY_FAIL, s->addr, mode, 0, 0, pc);
		return EBUSY;
	}
	explore_succeeds(OPF_TRY);
	take_share(s, mode, pc);
	return 0;
}

static void give_back_share(struct sync *s, struct hold *h, pc_t pc)
{
	uint32_t depth = --h->depth;
	if (!depth)
		rwlock_forget_reader(h);
	report_asked(s);
	clock_publish(s->addr);
	ev_sync(EV_RELEASE, s->addr, SYNC_RDLOCK, depth, 0, pc);
	if (!s->shares)
		sync_wake_all(s);
}

/* libc does not check which thread unlocks: it removes the writer, or one of the readers. */
static void unlock(struct sync *s, pc_t pc)
{
	struct hold *own = share_of(s, g.cur);
	if (s->owner && s->owner != g.cur)
		rt_finding(FAIL_UNLOCK_OTHER, s->addr, s->owner->id, pc);
	else if (!s->owner && s->shares && !own)
		rt_finding(FAIL_UNLOCK_OTHER, s->addr, s->shares->thread->id, pc);
	if (s->owner)
		sync_drop(s, pc);
	else if (s->shares)
		give_back_share(s, own ? own : s->shares, pc);
	else
		rt_finding(FAIL_UNLOCK_FREE, s->addr, 0, pc);
}

RT_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	bool controlled = rt_wrapper(PC);
	int rc = REAL_FN(pthread_rwlock_init)(l, attr);
	if (controlled && !rc) {
		sync_init((uintptr_t)l, SYNC_WRLOCK, l->__data.__flags, PC);
		libc_wrote_if_changed(l, sizeof(*l), PC);
	}
	return rc;
}

RT_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_rwlock_destroy)(l);
	sync_destroy(rwlock_of(l, PC), PC);
	return 0;
}

RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (!rt_lock_wrapper(l, PC))
		return REAL_FN(pthread_rwlock_unlock)(l);
	unlock(rwlock_of(l, PC), PC);
	return 0;
}

/* The four ways to ask, for each mode. */
#define FORMS(name, mode)                                                                          \
	RT_EXPORT int pthread_rwlock_##name(pthread_rwlock_t *l)                                   \
	{                                                                                          \
		if (!rt_lock_wrapper(l, PC))                                                       \
			return REAL_FN(pthread_rwlock_##name)(l);                                  \
		return lock(l, mode, FOR_EVER, PC);                                                \
	}                                                                                          \
	RT_EXPORT int pthread_rwlock_try##name(pthread_rwlock_t *l)                                \
	{                                                                                          \
		if (!rt_lock_wrapper(l, PC))                                                       \
			return REAL_FN(pthread_rwlock_try##name)(l);                               \
		return try_lock(l, mode, PC);                                                      \
	}                                                                                          \
	RT_EXPORT int pthread_rwlock_timed##name(pthread_rwlock_t *l, const struct timespec *when) \
	{                                                                                          \
		if (!rt_lock_wrapper(l, PC))                                                       \
			return REAL_FN(pthread_rwlock_timed##name)(l, when);                       \
		return lock(l, mode, (struct until){ when, CLOCK_REALTIME }, PC);                  \
	}                                                                                          \
	RT_EXPORT int pthread_rwlock_clock##name(pthread_rwlock_t *l, clockid_t clock,             \
						 const struct timespec *when)                      \
	{                                                                                          \
		if (!rt_lock_wrapper(l, PC))                                                       \
			return REAL_FN(pthread_rwlock_clock##name)(l, clock, when);                \
		return is_wait_clock(clock) ? lock(l, mode, (struct until){ when, clock }, PC)     \
					    : EINVAL;                                              \
	}
FORMS(rdlock, SYNC_RDLOCK)
FORMS(wrlock, SYNC_WRLOCK)
