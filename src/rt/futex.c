/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Futexes: what std::atomic::wait, latches, barriers, semaphores and futures of C++, and locks of
 * a program's own, sleep on.  A futex is a queue of waiting threads with the address of its word
 * as name; the word itself is an ordinary variable of the program's, which the kernel compares
 * before a thread is put to sleep.
 *
 * Comparing and joining the queue is one step, as it is in the kernel, so no wake between the two
 * is lost. Which of several waiters is woken is a choice, as for condition variables; whether a
 * timed wait ends by its deadline is the schedule's.
 */
#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/futex.h"
#include "rt/hot.h"
#include "rt/libc_refused.h"
#include "rt/mem.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/wire.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>

static struct sync *futex_of(const uint32_t *word, pc_t pc)
{
	struct sync *s = sync_get((uintptr_t)word, SYNC_FUTEX);
	if (s->mode != SYNC_FUTEX) {
		/* Memory of another object that nobody destroyed. */
		sync_forget((uintptr_t)word, 1, pc);
		s = sync_get((uintptr_t)word, SYNC_FUTEX);
	}
	if (!s->waiters)
		s->waiters_tail = &s->waiters;
	return s;
}

/* The kernel's look at the word: ordered with all other operations on the futex. */
static uint32_t look(const uint32_t *word, pc_t pc)
{
	if (rt_memcmp(word, (const void *)SHADOW(word), sizeof(*word)))
		shadow_mismatch((uintptr_t)word, sizeof(*word), pc);
	clock_saw_read((uintptr_t)word, sizeof(*word));
	ev_access(EV_READ, word, sizeof(*word), MODE_SEQ_CST, EVF_LIBC, pc);
	return *word;
}

static int wait_on(uint32_t *word, uint32_t expected, uint64_t deadline, uint32_t bits, pc_t pc)
{
	if (look(word, pc) != expected) {
		explore_look((uintptr_t)word, SYNC_FUTEX, pc);
		return EAGAIN;
	}
	struct thread *self = g.cur;
	struct sync *s = futex_of(word, pc);
	self->wait.futex_bits = bits;
	self->wait.next = NULL;
	*s->waiters_tail = self;
	s->waiters_tail = &self->wait.next;
	ev_sync(EV_WAIT, s->addr, SYNC_FUTEX, 0, 0, pc);
	enum wait_end end = sched_wait(s, NULL, deadline, false);
	if (end == WAIT_TIMED_OUT) {
		ev_sync(EV_TIMEOUT, (uintptr_t)word, SYNC_FUTEX, deadline, 0, pc);
		return ETIMEDOUT;
	}
	clock_receive((uintptr_t)word);
	ev_sync(EV_WAKE, (uintptr_t)word, SYNC_FUTEX, 0, 0, pc);
	return end == WAIT_INTERRUPTED ? EINTR : 0;
}

/* The waiter at a position among those whose bits are asked for; NULL if there are not so many. */
static struct thread *waiter_at(const struct sync *s, uint32_t bits, uint32_t position)
{
	for (struct thread *t = s->waiters; t; t = t->wait.next)
		if (t->wait.futex_bits & bits && !position--)
			return t;
	return NULL;
}

static uint32_t count_waiters(const struct sync *s, uint32_t bits)
{
	uint32_t n = 0;
	while (waiter_at(s, bits, n))
		n++;
	return n;
}

static uint32_t wake(uint32_t *word, uint32_t wanted, uint32_t bits, pc_t pc)
{
	struct sync *s = futex_of(word, pc);
	uint32_t n = count_waiters(s, bits);
	clock_publish(s->addr);
	if (wanted > 1 && wanted >= n) {
		for (struct thread *t; (t = waiter_at(s, bits, 0));)
			sched_wake(t, WAIT_WOKEN);
		ev_sync(EV_BROADCAST, s->addr, SYNC_FUTEX, n, 0, pc);
		return n;
	}
	uint32_t woken = 0;
	do {
		struct thread *t = n ? waiter_at(s, bits, sched_choose(n, pc)) : NULL;
		if (t)
			sched_wake(t, WAIT_WOKEN);
		ev_sync(EV_SIGNAL, s->addr, SYNC_FUTEX, t ? t->id + 1ull : 0, 0, pc);
		if (!t)
			break;
		woken++;
		n--;
	} while (woken < wanted);
	return woken;
}

static bool read_deadline(const struct timespec *at, bool is_absolute, clockid_t clock,
			  uint64_t *deadline, pc_t pc)
{
	*deadline = NO_DEADLINE;
	if (!at)
		return true;
	rt_libc_read(at, sizeof(*at), pc);
	return is_absolute ? clock_deadline(clock, at, deadline)
			   : clock_deadline_after(at, deadline);
}

static long failed(int error)
{
	errno = error;
	return -1;
}

long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *at, uint32_t bits,
	   pc_t pc)
{
	bool is_wall_clock = operation & FUTEX_CLOCK_REALTIME;
	int command = operation & FUTEX_CMD_MASK;
	if ((uintptr_t)word % sizeof(*word))
		return failed(EINVAL);
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		break;
	case FUTEX_WAKE:
		return (long)wake(word, value > INT_MAX ? INT_MAX : value, FUTEX_BITSET_MATCH_ANY,
				  pc);
	case FUTEX_WAKE_BITSET:
		return bits ? (long)wake(word, value > INT_MAX ? INT_MAX : value, bits, pc)
			    : failed(EINVAL);
	default:
		libc_refuse("syscall(SYS_futex) with an operation other than wait and wake", pc);
	}
	bool has_bits = command == FUTEX_WAIT_BITSET;
	uint64_t deadline;
	if (!read_deadline(at, has_bits, is_wall_clock ? CLOCK_REALTIME : CLOCK_MONOTONIC,
			   &deadline, pc) ||
	    (has_bits && !bits))
		return failed(EINVAL);
	int error = wait_on(word, value, deadline, has_bits ? bits : FUTEX_BITSET_MATCH_ANY, pc);
	return error ? failed(error) : 0;
}
