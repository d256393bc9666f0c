/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forked children, which go on being watched, also those of a process with several threads.
 *
 * The child has a copy of everything and one thread.  Whatever another thread had begun to change in our books would
 * stay half changed, and its guards locked.  So before a fork nobody may take a guard any more, and the fork waits
 * until all have let go of theirs: struct thr counts them (busy).  Who takes his first guard looks whether this gate is
 * closed after he got it; who closes it looks at the counts afterwards; one of the two sees the other.
 *
 * A thread that waits at the gate may have one of libc's locks that the fork itself wants (a stream that the program has
 * locked).  Nobody waits for ever, therefore: after a second the gate is given up, and the child is not watched.  Nor is
 * it if at the very moment of the fork another thread begins or ends.
 *
 * What the other threads did before lies before everything that the child does, and what they do afterwards
 * happens in another memory: the child's thread gets the last epoch of each.
 */
#include <pthread.h>
#include <sys/syscall.h>

#include "run/start.h"
#include "run/wrap.h"

#define EPOCHS_LEFT 16	/* more than a thread can begin without a guard */

static void before_fork(void)
{
	struct thr *self = run_self;
	gate_close(self);
	for (uint32_t i = 0; i < g.slot_count; i++) {
		const struct thr *t = g.slots[i];
		while (t && t != self && t->is_alive && __atomic_load_n(&t->busy, __ATOMIC_ACQUIRE))
			run_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	while (__atomic_load_n(&g.strangers, __ATOMIC_ACQUIRE))
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
	/* A thread that is about to begin or to end does not stop at the gate. */
	if (!self || !is_whole || g.strangers) {
		thread_drop();
		return;
	}
	for (uint32_t i = 0; i < g.slot_count; i++) {
		struct thr *t = g.slots[i];
		if (!t || t == self)
			continue;
		t->epoch += EPOCHS_LEFT;
		self->clock[i] = (struct tick){ t->epoch, t->epoch };
		if (t->is_alive)
			thread_end(t, NULL);
	}
	run_self = self;
}

void fork_begin(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}
