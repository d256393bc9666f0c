/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers, modelled.  The last thread to arrive ends the round: it lets the others go and is the
 * one that gets PTHREAD_BARRIER_SERIAL_THREAD, as with glibc.  From then on those threads have
 * nothing more to do with the object, which may be destroyed, or in its next round, before they
 * run again.
 */
#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/hot.h"
#include "rt/libc_wrap.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/wire.h"

/* Where glibc keeps the number of threads of a barrier: the third of its words. */
#define COUNT_WORD 2
#define WORDS 5 /* and how many words there are; the rest of the object is not touched */

/* The number of the round that began last, of all barriers: a thread that was let go finds another
 * one, even if the barrier was initialised again before it runs. */
static RT_STATE uint64_t rounds;

static struct sync *barrier_of(pthread_barrier_t *b, pc_t pc)
{
	struct sync *s = sync_get((uintptr_t)b, SYNC_BARRIER);
	sync_check_life(s, pc);
	if (!s->round)
		s->round = ++rounds;
	if (!s->value)
		s->value = ((const uint32_t __attribute__((may_alias)) *)b)[COUNT_WORD];
	return s;
}

RT_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr,
				   unsigned count)
{
	bool controlled = rt_wrapper(PC);
	int rc = REAL_FN(pthread_barrier_init)(b, attr, count);
	if (controlled && !rc) {
		sync_init((uintptr_t)b, SYNC_BARRIER, count, PC)->value = count;
		libc_wrote_if_changed(b, WORDS * sizeof(uint32_t), PC);
	}
	return rc;
}

RT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_barrier_destroy)(b);
	sync_destroy(barrier_of(b, PC), PC);
	return 0;
}

/* All threads have arrived. */
static void end_round(struct sync *s)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (t == g.cur || (t->state == THREAD_BLOCKED && t->wait.on == s))
			clock_join(&t->time, s->round_clock);
	}
	s->arrived = 0;
	s->round_clock = 0;
	s->round = ++rounds;
	sync_wake_all(s);
}

/* Other threads may arrive while a handler runs; they wake no thread then. */
static void wait_for_round(struct sync *s)
{
	uint64_t round = s->round;
	enum wait_end end;
	do
		end = sched_wait(s, NULL, NO_DEADLINE, false);
	while (s->round == round);
	while (FAULT(HANDLER_MISSES_BARRIER) && end != WAIT_WOKEN)
		end = sched_wait(s, NULL, NO_DEADLINE, false);
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_barrier_wait)(b);
	struct sync *s = barrier_of(b, PC);
	if (!s->value)
		rt_fail(FAIL_UNINITIALISED, s->addr, 0, PC);
	bool is_last = ++s->arrived == s->value;
	if (FAULT(BARRIER_OPENS_EARLY))
		is_last = s->arrived == s->value - 1;
	if (s->round_clock < g.cur->time.now)
		s->round_clock = g.cur->time.now;
	ev_sync(EV_BARRIER_IN, s->addr, SYNC_BARRIER, s->value - s->arrived, 0, PC);
	if (is_last)
		end_round(s);
	else
		wait_for_round(s);
	ev_sync(EV_BARRIER_OUT, (uintptr_t)b, SYNC_BARRIER, is_last, 0, PC);
	if (FAULT(BARRIER_WITHOUT_SERIAL_THREAD))
		return 0;
	return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
