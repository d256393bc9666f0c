/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timer descriptors in virtual time.  To the kernel such a descriptor is an event counter, which
 * the runtime raises by the number of expirations when the clock of the thread that looks shows
 * that a timer is due.  So poll, epoll and read work on it as on the real thing, and a thread
 * that waits for one has a deadline like any other timed wait.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "rt/clock.h"
#include "rt/hot.h"
#include "rt/outside.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/sys.h"
#include "rt/thread.h"

#define TIMERS 256
#define SECOND 1000000000ull

struct timer {
	bool is_used;
	clockid_t clock;
	uint64_t due;	   /* 0: not set */
	uint64_t interval; /* 0: once */
};

static RT_KEPT struct timer timers[TIMERS];

static struct timer *timer_of(int fd)
{
	int slot = descriptor_timer(fd);
	return slot >= 0 ? &timers[slot] : NULL;
}

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

static struct timespec spec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };
}

void timers_fire(void)
{
	uint64_t now = g.cur->time.now;
	for (unsigned i = 0; i < TIMERS; i++) {
		struct timer *t = &timers[i];
		if (!t->is_used || !t->due || t->due > now)
			continue;
		uint64_t times = t->interval ? 1 + (now - t->due) / t->interval : 1;
		t->due = t->interval ? t->due + times * t->interval : 0;
		sys3(SYS_write, descriptor_of_timer((int)i), &times, sizeof(times));
	}
}

static uint64_t due_of(int fd)
{
	uint64_t first = NO_DEADLINE;
	const struct timer *own = timer_of(fd);
	if (own)
		return own->due ? own->due : NO_DEADLINE;
	if (!descriptor_is_epoll(fd))
		return NO_DEADLINE;
	/* Only the kernel knows which of them it watches; a thread that was woken without
	 * need waits again. */
	for (unsigned i = 0; i < TIMERS; i++)
		if (timers[i].is_used && timers[i].due && timers[i].due < first)
			first = timers[i].due;
	return first;
}

uint64_t timers_due(const struct pollfd *fds, uint32_t count)
{
	uint64_t first = NO_DEADLINE;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t due = fds[i].fd >= 0 ? due_of(fds[i].fd) : NO_DEADLINE;
		if (due < first)
			first = due;
	}
	return first;
}

static void tell(const struct timer *t, struct itimerspec *to)
{
	uint64_t now = g.cur->time.now;
	to->it_interval = spec_of(t->interval);
	to->it_value = spec_of(!t->due ? 0 : t->due > now ? t->due - now : 1);
}

static long create_timer(struct call *c)
{
	if (c->arg[1] & ~(TFD_NONBLOCK | TFD_CLOEXEC))
		return -EINVAL;
	int flags = (c->arg[1] & TFD_NONBLOCK ? EFD_NONBLOCK : 0) |
		    (c->arg[1] & TFD_CLOEXEC ? EFD_CLOEXEC : 0);
	/* A timer is free again when none of its descriptors is left. */
	for (int i = 0; i < TIMERS; i++) {
		if (timers[i].is_used && descriptor_of_timer(i) >= 0)
			continue;
		timers[i] = (struct timer){ .is_used = true, .clock = (clockid_t)c->arg[0] };
		c->timer = i;
		return sys3(SYS_eventfd2, 0, flags, 0);
	}
	return -EMFILE;
}

static long arm(struct timer *t, const struct call *c)
{
	const struct itimerspec *wanted = (const void *)c->arg[2];
	uint64_t value = ns_of(&wanted->it_value), count, due = 0;
	if (c->arg[3])
		tell(t, (struct itimerspec *)c->arg[3]);
	if (value && c->arg[1] & TFD_TIMER_ABSTIME)
		clock_deadline(t->clock, &wanted->it_value, &due);
	else if (value)
		clock_deadline_after(&wanted->it_value, &due);
	t->due = value && !due ? 1 : due;
	t->interval = ns_of(&wanted->it_interval);
	/* What had expired before is forgotten. */
	struct pollfd p = { .fd = (int)c->arg[0], .events = POLLIN };
	if (sys3(SYS_poll, &p, 1, 0) > 0)
		sys3(SYS_read, p.fd, &count, sizeof(count));
	return 0;
}

long timer_call(struct call *c)
{
	if (c->nr == SYS_timerfd_create)
		return create_timer(c);
	struct timer *t = timer_of((int)c->arg[0]);
	if (!t)
		return -EINVAL;
	if (c->nr == SYS_timerfd_settime)
		return arm(t, c);
	tell(t, (struct itimerspec *)c->arg[1]);
	return 0;
}
