/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition variables, barriers, semaphores and once.
 *
 * A wait for a condition variable is the action `wait`, then a release of the mutex (which decides
 * the pairs that are deferred under it), then sleep, then an acquire (OVPredict 2.4).
 *
 * Lost signals.  A signal while a thread waits, which is not after that wait in the weak order, may
 * come before it in another run and be lost.  The same holds for a signal without a waiter, if
 * both were made under a common lock; without a common lock the program may well expect a signal
 * before the wait.  A wait with a timeout does not block permanently and is not reported.
 */
#include <errno.h>

#include "run/channel.h"
#include "run/clock.h"
#include "run/found.h"
#include "run/hazard.h"
#include "run/lock.h"
#include "run/object.h"
#include "run/real.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/thr.h"
#include "run/ticks.h"
#include "run/waits.h"
#include "run/wrap.h"

static struct past action(struct thr *t, void *object, enum finding_act act, uint32_t stack)
{
	return (struct past){ .stamp = t->held_count ? stamp_now(t) : 0,
			      .slot = t->slot,
			      .epoch = t->epoch,
			      .act = act,
			      .stack = stack,
			      .address = (uintptr_t)object };
}

static void pair(struct thr *t, void *cond, const struct past *past, enum finding_act act,
		 uint32_t stack)
{
	bool is_ordered = seen_hb(t, past->slot, past->epoch);
	if (is_ordered &&
	    (seen_weak(t, past->slot, past->epoch) || !run_state.options.is_predicting))
		return;
	struct found f = { .kind = FINDING_LOST_SIGNAL,
			   .status = is_ordered ? RUN_PREDICTED : RUN_UNORDERED,
			   .address = (uintptr_t)cond,
			   .thr = t,
			   .act = act,
			   .epoch = t->epoch,
			   .stack = stack,
			   .past = *past };
	report_or_defer(t, &f);
}

static bool has_common_lock(struct thr *t, const struct past *p)
{
	bool is_held = false;
	hazards_begin(t);
	if (hazard_past(t, p))
		for (const struct stamp *s = STAMP(p->stamp); stamp_lock(s) && !is_held;
		     s = STAMP(s->outer))
			is_held = lock_is_held(t, stamp_lock(s));
	hazards_end(t);
	return is_held;
}

/* The wait begins: the mutex is released, however often it was locked. */
static void wait_begins(struct thr *t, pthread_cond_t *cond, pthread_mutex_t *mutex, bool is_timed,
			uint32_t stack)
{
	struct object *s = object_take(t, (uintptr_t)cond, OBJECT_COND);
	if (s) {
		object_use(t, s, ACT_WAIT, stack);
		t->waiter.past = action(t, cond, ACT_WAIT, stack);
		t->waiter.next = s->waiters;
		t->waiter.mutex = (uintptr_t)mutex;
		t->waiter.is_timed = is_timed;
		clock_replace(t, &t->waiter.clock);
		s->waiters = &t->waiter;
		t->waiter.cond = (uintptr_t)cond;
		struct past signal = s->signal;
		object_put(s);
		if (signal.epoch && !is_timed && has_common_lock(t, &signal))
			pair(t, cond, &signal, ACT_WAIT, stack);
	}
	wrap_unlock(t, mutex, OBJECT_MUTEX, stack);
	wait_begin(t, cond, OBJECT_COND, stack);
}

void wait_leave(struct thr *t)
{
	struct object *s = t->waiter.cond ? object_find(t, t->waiter.cond) : NULL;
	t->waiter.cond = 0;
	if (!s)
		return;
	for (struct waiter **w = &s->waiters; *w; w = &(*w)->next) {
		if (*w == &t->waiter) {
			*w = t->waiter.next;
			break;
		}
	}
	clock_join_weak(t, s->clock); /* the signal is before the wake-up */
	object_put(s);
}

static void wait_ends(struct thr *t, pthread_mutex_t *mutex, uint32_t stack)
{
	wait_end(t);
	wait_leave(t);
	wrap_locked(t, mutex, OBJECT_MUTEX, HOLD_WRITE, stack);
}

/*
 * A waiter that has seen the signaller's last section of the mutex knows the state that the signal
 * announces, and waits for something else.  A signal after the unlock may come late without
 * harm: nothing is lost.
 */
static bool is_late(struct thr *t, const struct waiter *w)
{
	struct object *m = object_find(t, w->mutex);
	if (!m)
		return false;
	uint32_t used = t->slot < m->uses_room ? m->uses[t->slot].epoch : 0;
	object_put(m);
	return used && t->slot < w->clock->n && used <= w->clock->at[t->slot].weak;
}

static void signalled(struct thr *t, pthread_cond_t *cond, uint32_t stack)
{
	struct past waits[16];
	unsigned n = 0;
	struct object *s = object_take(t, (uintptr_t)cond, OBJECT_COND);
	if (!s)
		return;
	object_use(t, s, ACT_SIGNAL, stack);
	for (const struct waiter *w = s->waiters; w && n < 16; w = w->next)
		if (!w->is_timed && !is_late(t, w))
			waits[n++] = w->past;
	s->signal = s->waiters || !t->held_count ? (struct past){ 0 }
						 : action(t, cond, ACT_SIGNAL, stack);
	lock_catch_up(t);
	clock_send(t, &s->clock);
	object_put(s);
	for (unsigned i = 0; i < n; i++)
		pair(t, cond, &waits[i], ACT_SIGNAL, stack);
	thr_tick(t);
}

INIT_BY(pthread_cond_init, (pthread_cond_t * cond, const pthread_condattr_t *a), (cond, a), cond,
	OBJECT_COND)
DESTROY_BY(pthread_cond_destroy, pthread_cond_t)

#define WAIT_BY(name, parameters, arguments, is_timed)        \
	RUN_EXPORT int name parameters                        \
	{                                                     \
		struct thr *t = run_self;                     \
		if (!t)                                       \
			return REAL_FN(name) arguments;       \
		uint32_t stack = STACK;                       \
		wait_begins(t, cond, mutex, is_timed, stack); \
		int rc = REAL_FN(name) arguments;             \
		wait_ends(t, mutex, stack);                   \
		return rc;                                    \
	}

WAIT_BY(pthread_cond_wait, (pthread_cond_t * cond, pthread_mutex_t *mutex), (cond, mutex), false)
WAIT_BY(pthread_cond_timedwait,
	(pthread_cond_t * cond, pthread_mutex_t *mutex, const struct timespec *end),
	(cond, mutex, end), true)
WAIT_BY(pthread_cond_clockwait,
	(pthread_cond_t * cond, pthread_mutex_t *mutex, clockid_t clock,
	 const struct timespec *end),
	(cond, mutex, clock, end), true)

#define SIGNAL_BY(name)                            \
	RUN_EXPORT int name(pthread_cond_t *cond)  \
	{                                          \
		struct thr *t = run_self;          \
		if (t)                             \
			signalled(t, cond, STACK); \
		return REAL_FN(name)(cond);        \
	}

SIGNAL_BY(pthread_cond_signal)
SIGNAL_BY(pthread_cond_broadcast)

/* ---- barriers: every thread sends before, and receives after ---- */

INIT_BY(pthread_barrier_init,
	(pthread_barrier_t * barrier, const pthread_barrierattr_t *a, unsigned n), (barrier, a, n),
	barrier, OBJECT_BARRIER)

/* The real function waits until all threads have left the barrier: what follows is after them. */
RUN_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
	struct thr *t = run_self;
	int rc = REAL_FN(pthread_barrier_destroy)(b);
	if (t && !rc) {
		wrap_destroy(t, b, STACK);
		wrap_receive(t, b, OBJECT_BARRIER, 0);
	}
	return rc;
}

RUN_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct thr *t = run_self;
	if (!t)
		return REAL_FN(pthread_barrier_wait)(b);
	uint32_t stack = STACK;
	wrap_send(t, b, OBJECT_BARRIER, stack);
	wait_begin(t, b, OBJECT_BARRIER, stack);
	int rc = REAL_FN(pthread_barrier_wait)(b);
	wait_end(t);
	wrap_receive(t, b, OBJECT_BARRIER, 0);
	return rc;
}

/* ---- semaphores ---- */

INIT_BY(sem_init, (sem_t * sem, int shared, unsigned value), (sem, shared, value), sem, OBJECT_SEM)
DESTROY_BY(sem_destroy, sem_t)

/* Other processes may have it; libc's word for that. */
static bool is_shared(const sem_t *sem)
{
	return ((const uint32_t *)sem)[2];
}

RUN_EXPORT int sem_post(sem_t *sem)
{
	struct thr *t = run_self;
	if (t) {
		wrap_send(t, sem, OBJECT_SEM, STACK);
		if (is_shared(sem))
			channel_send(t, CHANNEL_OUTSIDE);
	}
	return REAL_FN(sem_post)(sem);
}

#define SEM_WAIT_BY(name, parameters, arguments)                 \
	RUN_EXPORT int name parameters                           \
	{                                                        \
		struct thr *t = run_self;                        \
		if (!t)                                          \
			return REAL_FN(name) arguments;          \
		uint32_t stack = STACK;                          \
		wait_begin(t, sem, OBJECT_SEM, stack);           \
		int rc = REAL_FN(name) arguments;                \
		wait_end(t);                                     \
		if (!rc)                                         \
			wrap_receive(t, sem, OBJECT_SEM, stack); \
		if (!rc && is_shared(sem))                       \
			channel_receive(t, CHANNEL_OUTSIDE);     \
		return rc;                                       \
	}

SEM_WAIT_BY(sem_wait, (sem_t * sem), (sem))
SEM_WAIT_BY(sem_trywait, (sem_t * sem), (sem))
SEM_WAIT_BY(sem_timedwait, (sem_t * sem, const struct timespec *end), (sem, end))
SEM_WAIT_BY(sem_clockwait, (sem_t * sem, clockid_t clock, const struct timespec *end),
	    (sem, clock, end))

/* ---- once ---- */

static void once_function(void)
{
	struct thr *t = run_self;
	void *control = (void *)t->once.control;
	t->once.function();
	wrap_send(t, control, OBJECT_OTHER, 0);
}

RUN_EXPORT int pthread_once(pthread_once_t *control, void (*function)(void))
{
	struct thr *t = run_self;
	if (!t)
		return REAL_FN(pthread_once)(control, function);
	void (*outer)(void) = t->once.function;
	uintptr_t outer_control = t->once.control;
	t->once.function = function;
	t->once.control = (uintptr_t)control;
	int rc = REAL_FN(pthread_once)(control, once_function);
	t->once.function = outer;
	t->once.control = outer_control;
	wrap_receive(t, control, OBJECT_OTHER, 0);
	return rc;
}

/* An atomic store of the library, without a hook, that loads of the program see. */
static void send_by_atomic(struct thr *t, const void *atomic, unsigned size)
{
	struct object *s = object_take_atomic(t, (uintptr_t)atomic, size);
	if (!s)
		return;
	object_send(t, s);
	object_put(s);
}

/*
 * Static local variables of C++; the library's functions exist only in programs that have it.
 * The first byte of a guard says whether the variable is initialised: the program loads it before
 * it calls them.
 */
RUN_EXPORT int __cxa_guard_acquire(void *guard);
RUN_EXPORT int __cxa_guard_acquire(void *guard)
{
	static int (*real)(void *);
	if (!real)
		real_find("__cxa_guard_acquire", NULL, (void **)&real);
	int is_mine = real(guard);
	struct object *s = run_self ? object_find_any_atomic(run_self, (uintptr_t)guard) : NULL;
	if (s) {
		object_receive(run_self, s);
		object_put(s);
	}
	return is_mine;
}

RUN_EXPORT void __cxa_guard_release(void *guard);
RUN_EXPORT void __cxa_guard_release(void *guard)
{
	static void (*real)(void *);
	if (!real)
		real_find("__cxa_guard_release", NULL, (void **)&real);
	if (run_self)
		send_by_atomic(run_self, guard, 1);
	real(guard);
}

/*
 * std::promise::set_value_at_thread_exit: libstdc++ makes the future ready when the thread ends,
 * by a store without a hook.  What the thread did up to the call is before the loads of those
 * that wait for it; what destructors of thread-local objects do after it is not.
 */
#define MAKE_READY_SET _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv

struct make_ready {
	void *next, *function;
	struct {
		void *table, *result;
		uint32_t status;
	} * state;
};

RUN_EXPORT void MAKE_READY_SET(struct make_ready *r);
RUN_EXPORT void MAKE_READY_SET(struct make_ready *r)
{
	static void (*real)(struct make_ready *);
	if (!real)
		real_find("_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv", NULL,
			  (void **)&real);
	if (run_self && r->state)
		send_by_atomic(run_self, &r->state->status, sizeof(r->state->status));
	real(r);
}
