/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forked children, which go on being watched, also those of a process with several threads.
 *
 * The child has a copy of everything and one thread.  Whatever another thread had begun to change
 * in our books would stay half changed, and its guards locked.  So before a fork nobody may take
 * a guard any more, and the fork waits until all have let go of theirs: struct thr counts them
 * (busy).  Who takes his first guard looks whether this gate is closed after he got it; who
 * closes it looks at the counts afterwards; one of the two sees the other.  A thread that begins
 * or ends has no struct thr at some time: it goes through the gate once for all that this needs,
 * and counts as a stranger (thread.c).  Who ends becomes one before he is no longer busy, so that
 * he is seen in any case.
 *
 * A thread that waits at the gate may have one of libc's locks that the fork itself wants (a
 * stream that the program has locked).  Nobody waits for ever, therefore: after a second the gate
 * is given up, and the child is not watched.
 *
 * What the other threads did before lies before everything that the child does, and what they do
 * afterwards happens in another memory: the child's thread gets the last epoch of each.
 */
#include <pthread.h>
#include <sys/syscall.h>

#include "run/channel.h"
#include "run/heap.h"
#include "run/start.h"
#include "run/wrap.h"

#define EPOCHS_LEFT 16 /* more than a thread can begin without a guard */

static void before_fork(void)
{
	struct thr *self = run_self;
	channel_send(self, CHANNEL_CHILDREN);
	gate_close(self);
	for (uint32_t i = 0; i < g.slot_count; i++) {
		const struct thr *t = g.slots[i];
		while (t && t != self && __atomic_load_n(&t->busy, __ATOMIC_ACQUIRE))
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
	if (!self || !is_whole) {
		thread_drop();
		return;
	}
	g.strangers = 0; /* somebody may just have come to the gate */
	for (uint32_t i = 0; i < g.slot_count; i++) {
		struct thr *t = g.slots[i];
		if (!t || t == self)
			continue;
		t->busy = t->has_pending = 0;
		t->looking = 0;
		t->epoch += EPOCHS_LEFT;
		self->clock[i] = (struct tick){ t->epoch, t->epoch };
		heap_end(t);
		if (!t->is_alive)
			continue;
		thread_end(t, NULL);
		thread_give_slot(t);
	}
	run_self = self;
}

void fork_begin(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}
