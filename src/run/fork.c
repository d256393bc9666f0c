/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forked children, which continue to be watched, also those of a process with several threads.
 *
 * The child has a copy of all memory and one thread.  A change of the runtime's data that another
 * thread had begun would stay half done, and its guards would stay locked.  So before a fork the
 * gate before all guards is closed, and the fork waits until no thread holds a guard (thr.busy).
 *
 * - A thread that takes its first guard checks the gate after that; the thread that closes the
 *   gate reads the counts after that.  One of the two sees the other.
 * - A thread that begins or ends has no struct thr for some time.  It passes the gate once for all
 *   of that, and is counted in run_state.unregistered (thread.c).  A thread that ends is counted
 *   there before it is no longer busy, so it is seen in any case.
 * - A thread that waits at the gate may hold a lock of libc that the fork itself needs (a stream
 *   that the program has locked).  Therefore the wait is bounded: after a second the gate is
 *   opened, and the child is not watched.
 *
 * What the other threads did before the fork is before everything that the child does, and what
 * they do later happens in another memory: the child's thread receives the last epoch of each.
 */
#include <pthread.h>
#include <sys/syscall.h>

#include "run/channel.h"
#include "run/clock.h"
#include "run/guard.h"
#include "run/heap.h"
#include "run/memory.h"
#include "run/run.h"
#include "run/start.h"
#include "run/thr.h"
#include "run/thread.h"

#define EPOCHS_LEFT 16 /* more than a thread can begin without taking a guard */

static void before_fork(void)
{
	struct thr *self = run_self;
	channel_has_others();
	channel_send(self, CHANNEL_CHILDREN);
	gate_close(self);
	for (uint32_t i = 0; i < run_state.slot_count; i++) {
		const struct thr *t = run_state.slots[i];
		while (t && t != self && __atomic_load_n(&t->busy, __ATOMIC_ACQUIRE))
			run_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	while (__atomic_load_n(&run_state.unregistered, __ATOMIC_ACQUIRE))
		run_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void in_parent(void)
{
	gate_open();
}

static void in_child(void)
{
	struct thr *self = run_self;
	bool is_whole = gate_open();
	if (!self || !is_whole) {
		thread_unwatch();
		return;
	}
	run_state.unregistered = 0; /* a thread may just have reached the gate */
	for (uint32_t i = 0; i < run_state.slot_count; i++) {
		struct thr *t = run_state.slots[i];
		if (!t || t == self)
			continue;
		t->busy = t->has_pending = 0;
		t->has_hazards = 0;
		t->epoch += EPOCHS_LEFT;
		self->clock[i] = (struct tick){ t->epoch, t->epoch };
		heap_unfree(t);
		if (!t->is_alive)
			continue;
		thread_end(t, NULL);
		thread_free_slot(t);
	}
	thread_forget_others();
	self->tid = (uint32_t)run_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	run_self = self;
}

void fork_begin(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}
