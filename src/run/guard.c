/* SPDX-License-Identifier: Apache-2.0 */
/* Spin locks of the runtime, and the gate before them; see guard.h and fork.c. */
#include "run/guard.h"

#include <sys/syscall.h>

#include "run/fault.h"
#include "run/memory.h"
#include "run/run.h"
#include "run/thr.h"

#define GATE_TRIES 1000 /* a millisecond apart */

uint32_t gate_is_closed;
static struct {
	uint32_t has_timed_out;
	struct thr *owner; /* the thread that may pass */
} gate;

bool gate_stops(const struct thr *t)
{
	return unlikely(__atomic_load_n(&gate_is_closed, __ATOMIC_SEQ_CST)) && t &&
	       t != gate.owner && t->busy == 1;
}

void gate_enter(struct thr *t)
{
	for (;;) {
		run_enter(t);
		if (likely(t ? !gate_stops(t)
			     : !__atomic_load_n(&gate_is_closed, __ATOMIC_SEQ_CST)))
			return;
		run_leave(t);
		gate_wait();
	}
}

void gate_wait(void)
{
	struct {
		long seconds, ns;
	} moment = { 0, 1000000 };
	for (unsigned i = 0; __atomic_load_n(&gate_is_closed, __ATOMIC_ACQUIRE); i++) {
		if (i == GATE_TRIES) {
			__atomic_store_n(&gate.has_timed_out, 1, __ATOMIC_RELEASE);
			__atomic_store_n(&gate_is_closed, 0, __ATOMIC_RELEASE);
		}
		run_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	}
}

void gate_close(struct thr *t)
{
	/* another thread forks */
	while (__atomic_exchange_n(&gate_is_closed, 1, __ATOMIC_SEQ_CST))
		run_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	gate.owner = t;
	gate.has_timed_out = 0;
}

bool gate_open(void)
{
	gate.owner = NULL;
	__atomic_store_n(&gate_is_closed, 0, __ATOMIC_RELEASE);
	return !gate.has_timed_out;
}

void run_pause(unsigned *spins)
{
	WAITS();
	if (++*spins < 100)
		__builtin_ia32_pause();
	else
		run_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

void run_lock_slowly(uint32_t *lock, bool is_held)
{
	for (unsigned spins = 0;; is_held = false) {
		while (!is_held && __atomic_exchange_n(lock, 1, __ATOMIC_SEQ_CST))
			while (__atomic_load_n(lock, __ATOMIC_RELAXED))
				run_pause(&spins);
		if (likely(!gate_stops(run_self)))
			return;
		run_unlock(lock);
		gate_wait();
		run_enter(run_self);
	}
}
