/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition variables, modelled.  A waiter is in a queue from the moment at which it releases the
 * mutex. Which waiter a signal removes from it is a choice, and so is whether a deadline passes
 * first. Afterwards the waiter acquires the mutex like any other thread. After a timeout that is a
 * step of its own, even if the mutex is free: other threads can observe when it left the queue and
 * when it took the mutex, but not whether it had to wait in between.
 *
 * Spurious wake-ups are allowed by POSIX and tried if the session says so, up to a bound for each
 * thread: a common bound would make waits of different threads dependent. Whether a wait ends
 * spuriously is a choice when it begins, and such a waiter never enters the queue. No behaviour is
 * lost: (1) No thread can observe that the waiter left the queue before it has the mutex. (2) A
 * signal while it is in the queue either wakes another waiter, which it does without it, too, or
 * wakes this one, which is a wait of the other kind. (3) A wait that no thread ends is still a
 * choice, so no deadlock is lost.
 *
 * The type of the object in the table is the clock of its timed waits, plus one.
 */
#include "rt/clock.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/libc_wrap.h"
#include "rt/locks.h"
#include "rt/sched.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define MONOTONIC_BIT 2 /* of __wrefs, where glibc keeps the clock */

static struct sync *cond_of(pthread_cond_t *c, pc_t pc)
{
	struct sync *s = sync_get((uintptr_t)c, SYNC_COND);
	if (!s->type)
		s->type =
			1 + (c->__data.__wrefs & MONOTONIC_BIT ? CLOCK_MONOTONIC : CLOCK_REALTIME);
	if (!s->waiters)
		s->waiters_tail = &s->waiters;
	sync_check_life(s, pc);
	return s;
}

void cond_made(pthread_cond_t *c, pc_t pc)
{
	sync_init((uintptr_t)c, SYNC_COND, 0, pc);
	libc_wrote_if_changed(c, sizeof(*c), pc);
}

clockid_t cond_clock(pthread_cond_t *c)
{
	return cond_of(c, g.hook_pc)->type - 1;
}

int cond_destroy(pthread_cond_t *c, pc_t pc)
{
	return sync_destroy(cond_of(c, pc), pc) ? 0 : EBUSY;
}

/* In the queue until the wait ends; a handler of a signal does not end it. */
static enum wait_end stand_in_queue(struct sync *s, uint64_t deadline)
{
	struct thread *self = g.cur;
	if (self->wait.queue) /* a handler waits as well */
		sched_leave_queue(self->wait.queue, self);
	self->wait.queue = s;
	self->wait.next = NULL;
	*s->waiters_tail = self;
	s->waiters_tail = &self->wait.next;
	enum wait_end end;
	do
		end = sched_wait(s, NULL, deadline, true);
	while (end == WAIT_INTERRUPTED && self->wait.queue == s);
	/* A cancelled thread does not begin to wait. Otherwise the thread that woke it has
	 * removed it from the queue. */
	if (self->wait.queue == s)
		sched_leave_queue(s, self);
	return end == WAIT_INTERRUPTED ? WAIT_WOKEN : end;
}

static bool chooses_spurious(pc_t pc)
{
	if (g.cur->wait.spurious_wakeups >= g.session->spurious_wakeups || !sched_choose(2, pc))
		return false;
	g.cur->wait.spurious_wakeups++;
	return true;
}

int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, struct until until, pc_t pc)
{
	uint64_t deadline;
	if (!wait_deadline(&until, &deadline, pc))
		return EINVAL;
	thread_act_on_cancel(pc);
	struct sync *lock = mutex_of(m, pc), *s = cond_of(c, pc);
	if (lock->owner != g.cur) {
		if (!lock->checks_owner)
			rt_finding(FAIL_WAIT_UNLOCKED, lock->addr, 0, pc);
		return EPERM;
	}
	bool is_spurious = chooses_spurious(pc);
	ev_sync(EV_WAIT, s->addr, SYNC_COND, lock->addr, deadline != NO_DEADLINE, pc);
	/* Of a recursive mutex that was locked several times one is given up, so it stays locked.
	 */
	bool stays = lock->depth > 1;
	mutex_unlock(m, pc);
	enum wait_end end = WAIT_WOKEN;
	if (is_spurious)
		rt_point(); /* others may have the mutex meanwhile */
	else
		end = stand_in_queue(cond_of(c, pc), deadline);
	if (end == WAIT_WOKEN && !is_spurious)
		clock_receive((uintptr_t)c);
	if (end == WAIT_TIMED_OUT) {
		ev_sync(EV_TIMEOUT, (uintptr_t)c, SYNC_COND, deadline, 0, pc);
		rt_point();
	} else {
		ev_sync(EV_WAKE, (uintptr_t)c, SYNC_COND, (uintptr_t)m, is_spurious, pc);
		if (end == WAIT_CANCELLED)
			rt_point();
	}
	int rc = 0;
	if (stays)
		sync_take_again(mutex_of(m, pc), pc);
	else
		rc = mutex_lock(m, FOR_EVER, pc);
	if (end == WAIT_CANCELLED)
		thread_act_on_cancel(pc);
	if (FAULT(TIMED_WAIT_HIDES_TIMEOUT))
		return rc;
	return rc ? rc : end == WAIT_TIMED_OUT ? ETIMEDOUT : 0;
}

/* Let the waiter at a position of the queue go on. */
static struct thread *release_waiter(struct sync *s, uint32_t position)
{
	struct thread *t = s->waiters;
	while (position--)
		t = t->wait.next;
	sched_leave_queue(s, t);
	sched_wake(t, WAIT_WOKEN);
	return t;
}

void cond_signal(pthread_cond_t *c, pc_t pc)
{
	struct sync *s = cond_of(c, pc);
	uint32_t n = 0;
	for (struct thread *t = s->waiters; t; t = t->wait.next)
		n++;
	clock_publish(s->addr);
	uint64_t woken = 0;
	if (FAULT(SIGNAL_WAKES_NONE))
		n = 0;
	if (n) {
		uint32_t which = 0;
		if (!FAULT(SIGNAL_WAKES_FIRST_WAITER))
			which = sched_choose(n, pc);
		woken = release_waiter(s, which)->id + 1ull;
	}
	ev_sync(EV_SIGNAL, s->addr, SYNC_COND, woken, 0, pc);
}

void cond_broadcast(pthread_cond_t *c, pc_t pc)
{
	struct sync *s = cond_of(c, pc);
	clock_publish(s->addr);
	uint64_t n = 0;
	while (s->waiters) {
		release_waiter(s, 0);
		n++;
		if (FAULT(BROADCAST_WAKES_ONE))
			break;
	}
	ev_sync(EV_BROADCAST, s->addr, SYNC_COND, n, 0, pc);
}

RT_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	bool controlled = rt_wrapper(PC);
	int rc = REAL_FN(pthread_cond_init)(c, attr);
	if (controlled && !rc)
		cond_made(c, PC);
	return rc;
}

RT_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
	return rt_wrapper(PC) ? cond_destroy(c, PC) : REAL_FN(pthread_cond_destroy)(c);
}

RT_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return rt_wrapper(PC) ? cond_wait(c, m, FOR_EVER, PC) : REAL_FN(pthread_cond_wait)(c, m);
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				     const struct timespec *when)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_cond_timedwait)(c, m, when);
	return cond_wait(c, m, (struct until){ when, cond_clock(c) }, PC);
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				     const struct timespec *when)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_cond_clockwait)(c, m, clock, when);
	return is_wait_clock(clock) ? cond_wait(c, m, (struct until){ when, clock }, PC) : EINVAL;
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_cond_signal)(c);
	cond_signal(c, PC);
	return 0;
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_cond_broadcast)(c);
	cond_broadcast(c, PC);
	return 0;
}
