/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards: spin locks of the runtime, held for short times, and the gate that a fork closes.
 *
 * Invariants: while a thread holds a guard, handlers of signals are deferred (signals.h), and no
 * fork copies the process (fork.c).  thr.busy counts the guards that a thread holds;
 * run_state.unregistered counts those of threads without a struct thr.
 */
#ifndef HEDDLE_RUN_GUARD_H
#define HEDDLE_RUN_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "run/signals.h"
#include "run/thr.h"

void run_pause(unsigned *spins); /* in a loop that waits for another thread */

extern uint32_t gate_is_closed;
void gate_close(struct thr *t);	      /* for all threads but t */
bool gate_open(void);		      /* false if a thread has stopped waiting */
bool gate_stops(const struct thr *t); /* t has got its first guard and must release it */
void gate_wait(void);
void gate_enter(struct thr *t); /* waits, then run_enter: guards within do not stop at the gate */

/* Between these two handlers are deferred, and a fork of another thread waits. */
static inline void run_enter(struct thr *t)
{
	if (likely(t))
		__atomic_store_n(&t->busy, (uint16_t)(t->busy + 1), __ATOMIC_RELAXED);
	else
		__atomic_add_fetch(&run_state.unregistered, 1, __ATOMIC_SEQ_CST);
}

static inline void run_leave(struct thr *t)
{
	if (unlikely(!t)) {
		__atomic_sub_fetch(&run_state.unregistered, 1, __ATOMIC_RELEASE);
		return;
	}
	uint16_t busy = (uint16_t)(t->busy - 1);
	__atomic_store_n(&t->busy, busy, __ATOMIC_RELEASE);
	if (!busy && unlikely(t->has_pending) && !t->has_hazards)
		signals_deliver(t);
}

/* Between run_enter and run_leave: acquires the lock, unless it is held, and passes the gate. */
void run_lock_slowly(uint32_t *lock, bool is_held);

static inline void run_lock(uint32_t *lock)
{
	run_enter(run_self);
	bool is_held = !__atomic_exchange_n(lock, 1, __ATOMIC_SEQ_CST);
	if (unlikely(!is_held || __atomic_load_n(&gate_is_closed, __ATOMIC_SEQ_CST)))
		run_lock_slowly(lock, is_held);
}

static inline void run_unlock(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	run_leave(run_self);
}

#endif
