/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timers of the program, in virtual time; see timer.h.
 *
 * A timer that is set for five seconds is often a watchdog, for a program that runs for less.  So
 * unlike a sleep, which may end at any time, a timer waits until five seconds have passed: on the
 * clock of a thread, or because every thread waits for something later, or because so many hooks
 * were passed that the program has been busy for so long (a loop that waits for the handler need
 * not read a clock).
 */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "rt/clock.h"
#include "rt/fiber.h"
#include "rt/hot.h"
#include "rt/libc_refused.h"
#include "rt/libc_wrap.h"
#include "rt/sched.h"
#include "rt/signals.h"
#include "rt/thread.h"
#include "rt/timer.h"
#include "wire/wire.h"

#define SECOND 1000000000ull
#define HOOK 4 /* nanoseconds of a busy program that one hook stands for */
#define INTERVAL_TIMERS 3
#define TIMERS 256 /* those of setitimer() and alarm() come first */

struct timer {
	bool is_used;
	uint64_t due;	    /* on the virtual clock; 0: not set */
	uint64_t due_hooks; /* the same by hooks */
	uint64_t interval;  /* 0: once */
	uint64_t missed;    /* expirations that the last signal stands for as well */
	clockid_t clock;
	struct sigevent event;
	struct thread *to; /* NULL: the process */
	pc_t pc;	   /* where it was set */
};

/* A program that sets one is not explored, so nothing is put back. */
static RT_KEPT struct timer timers[TIMERS];
static RT_STATE struct thread *keeper;		     /* the thread of timers */
static RT_STATE uint64_t first_due, first_due_hooks; /* of the next one; 0: none is set */

/* ---- when ---- */

static struct timer *first_timer(void)
{
	struct timer *first = NULL;
	for (unsigned i = 0; i < TIMERS; i++)
		if (timers[i].due && (!first || timers[i].due < first->due))
			first = &timers[i];
	return first;
}

bool timer_has_thread(void)
{
	return keeper;
}

uint64_t timer_first_due(void)
{
	return first_due ? first_due : NO_DEADLINE;
}

struct thread *timer_due(void)
{
	if (likely(!keeper) || keeper->state != THREAD_BLOCKED || !keeper->wait.is_timed)
		return NULL;
	bool has_come = g.cur->time.now >= keeper->time.deadline || rt_hooks() >= first_due_hooks;
	return has_come ? keeper : NULL;
}

/* 0: it is not set any more. */
static void set_due(struct timer *t, uint64_t due)
{
	uint64_t now = g.cur->time.now;
	t->due = due;
	t->due_hooks = rt_hooks() + (due > now ? due - now : 0) / HOOK;
	const struct timer *first = first_timer();
	first_due = first ? first->due : 0;
	first_due_hooks = first ? first->due_hooks : 0;
}

/* ---- the thread ---- */

static void notify(struct timer *t)
{
	siginfo_t info = { .si_signo = t->event.sigev_signo,
			   .si_code = t < timers + INTERVAL_TIMERS ? SI_KERNEL : SI_TIMER };
	switch (t->event.sigev_notify) {
	case SIGEV_THREAD:
		thread_make((void *(*)(void *))(void *)t->event.sigev_notify_function,
			    t->event.sigev_value.sival_ptr, t->pc);
		break;
	case SIGEV_SIGNAL:
	case SIGEV_THREAD_ID:
		if (info.si_code == SI_TIMER) {
			info.si_timerid = (int)(t - timers - INTERVAL_TIMERS);
			info.si_overrun = (int)t->missed;
			info.si_value = t->event.sigev_value;
		}
		if (!t->to || t->to->state != THREAD_ENDED)
			signal_send(t->to, &info, t->pc);
		break;
	}
}

static void expire(struct timer *t)
{
	uint64_t now = g.cur->time.now;
	uint64_t times = t->interval ? 1 + (now - t->due) / t->interval : 1;
	t->missed = times - 1;
	set_due(t, t->interval ? t->due + times * t->interval : 0);
	notify(t);
}

/* It ends with the process. */
static void *keep_timers(void *unused)
{
	(void)unused;
	rt_memcpy(g.cur->name, "timer", sizeof("timer"));
	ev_text(EV_THREAD_NAME, 0, g.cur->id, 0, g.cur->name, g.hook_pc);
	for (;;) {
		struct timer *first = first_timer();
		rt_enter(first ? first->pc : g.hook_pc);
		rt_point();
		first = first_timer(); /* others may have run */
		if (!first) {
			sched_wait(NULL, NULL, NO_DEADLINE, false);
			continue;
		}
		uint64_t now = g.cur->time.now, due = first->due;
		if (due > now) {
			ev_sync(EV_SLEEP, 0, 0, due - now, 0, first->pc);
			if (sched_wait(NULL, NULL, due, false) != WAIT_TIMED_OUT)
				continue;
		}
		for (unsigned i = 0; i < TIMERS; i++)
			if (timers[i].due && timers[i].due <= g.cur->time.now)
				expire(&timers[i]);
	}
	return NULL;
}

/* A timer was set, or is set no longer. */
static void keeper_looks(pc_t pc)
{
	if (keeper) {
		clock_join(&keeper->time, g.cur->time.now);
		sched_wake(keeper, WAIT_WOKEN);
	} else if (first_due) {
		keeper = thread_make(keep_timers, NULL, pc);
		keeper->signals.mask = ~0ull;
		keeper->is_timer = true;
	}
}

static void set(struct timer *t, uint64_t due, uint64_t interval, pc_t pc)
{
	if (due && g.session->policy == POLICY_EXPLORE)
		libc_refuse("a timer, while exploring", pc);
	g.slow |= HOT_CLOCK;
	t->interval = interval;
	t->pc = pc;
	t->missed = 0;
	set_due(t, due);
	keeper_looks(pc);
}

/* ---- the functions ---- */

static int failed(int error)
{
	errno = error;
	return -1;
}

static uint64_t left_of(const struct timer *t)
{
	uint64_t now = g.cur->time.now;
	return !t->due ? 0 : t->due > now ? t->due - now : 1000;
}

/* Processor time is virtual time, too. */
static struct timer *interval_timer(int which)
{
	static const int signals[INTERVAL_TIMERS] = { SIGALRM, SIGVTALRM, SIGPROF };
	if (which < 0 || which >= INTERVAL_TIMERS)
		return NULL;
	timers[which].is_used = true;
	timers[which].event =
		(struct sigevent){ .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signals[which] };
	return &timers[which];
}

static struct timeval val_of(uint64_t ns)
{
	return (struct timeval){ .tv_sec = (time_t)(ns / SECOND),
				 .tv_usec = (suseconds_t)(ns % SECOND / 1000) };
}

static uint64_t ns_of_val(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_usec * 1000;
}

static bool is_valid(const struct timeval *t)
{
	return t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < 1000000;
}

/* What was left of it before, in nanoseconds. */
static uint64_t set_alarm(uint64_t ns, uint64_t interval, pc_t pc)
{
	struct timer *t = interval_timer(ITIMER_REAL);
	uint64_t before = left_of(t);
	libc_hidden(HIDDEN_PROCESS, true, pc);
	set(t, ns ? g.cur->time.now + ns : 0, interval, pc);
	return before;
}

RT_EXPORT unsigned alarm(unsigned seconds)
{
	if (!libc_enter(PC))
		return REAL_FN(alarm)(seconds);
	uint64_t before = set_alarm(seconds * SECOND, 0, PC);
	/* to the nearest second, but not to 0 */
	return (unsigned)(before && before < SECOND ? 1 : (before + SECOND / 2) / SECOND);
}

RT_EXPORT useconds_t ualarm(useconds_t us, useconds_t interval)
{
	if (!libc_enter(PC))
		return REAL_FN(ualarm)(us, interval);
	return (useconds_t)(set_alarm(us * 1000ull, interval * 1000ull, PC) / 1000);
}

static void show_interval_timer(const struct timer *t, struct itimerval *to, pc_t pc)
{
	libc_will_write(to, sizeof(*to), pc);
	*to = (struct itimerval){ val_of(t->interval), val_of(left_of(t)) };
	rt_libc_wrote(to, sizeof(*to), pc);
}

RT_EXPORT int getitimer(__itimer_which_t which, struct itimerval *to)
{
	if (!libc_enter(PC))
		return REAL_FN(getitimer)(which, to);
	const struct timer *t = interval_timer((int)which);
	if (!t)
		return failed(EINVAL);
	if (!rt_can_read(to, sizeof(*to)))
		return failed(EFAULT);
	libc_hidden(HIDDEN_PROCESS, false, PC);
	show_interval_timer(t, to, PC);
	return 0;
}

/* NULL sets it to nothing. */
RT_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
			struct itimerval *restrict old)
{
	struct itimerval wanted = { 0 };
	if (!libc_enter(PC))
		return REAL_FN(setitimer)(which, value, old);
	struct timer *t = interval_timer((int)which);
	if ((value && !rt_load(&wanted, value, sizeof(wanted))) ||
	    (old && !rt_can_read(old, sizeof(*old))))
		return failed(EFAULT);
	if (!t || !is_valid(&wanted.it_value) || !is_valid(&wanted.it_interval))
		return failed(EINVAL);
	READS_OBJECT(value);
	libc_hidden(HIDDEN_PROCESS, true, PC);
	if (old)
		show_interval_timer(t, old, PC);
	uint64_t ns = ns_of_val(&wanted.it_value);
	set(t, ns ? g.cur->time.now + ns : 0, ns_of_val(&wanted.it_interval), PC);
	return 0;
}

/* ---- timers that the program makes ---- */

static struct timer *made_timer(timer_t id)
{
	uintptr_t n = (uintptr_t)id + INTERVAL_TIMERS;
	return n >= INTERVAL_TIMERS && n < TIMERS && timers[n].is_used ? &timers[n] : NULL;
}

static bool is_clock(clockid_t id)
{
	return (id >= 0 && id <= CLOCK_TAI && id != CLOCK_MONOTONIC_RAW &&
		id != CLOCK_REALTIME_COARSE && id != CLOCK_MONOTONIC_COARSE) ||
	       id < 0; /* processor time of a thread or process */
}

/* As gettid() numbers them. */
static struct thread *thread_numbered(pid_t number)
{
	pid_t self = REAL_FN(getpid)();
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (self + (pid_t)rt_threads_live[i]->id == number)
			return rt_threads_live[i];
	return NULL;
}

/* false: it is not valid */
static bool take_event(struct timer *t, const struct sigevent *event)
{
	t->event = *event;
	switch (event->sigev_notify) {
	case SIGEV_NONE:
	case SIGEV_THREAD:
		return true;
	case SIGEV_THREAD_ID:
		t->to = thread_numbered(event->_sigev_un._tid);
		if (!t->to)
			return false;
		break;
	case SIGEV_SIGNAL:
		break;
	default:
		return false;
	}
	return signal_exists(event->sigev_signo);
}

RT_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict to)
{
	if (!libc_enter(PC))
		return REAL_FN(timer_create)(clock, event, to);
	unsigned n = INTERVAL_TIMERS;
	while (n < TIMERS && timers[n].is_used)
		n++;
	if (!is_clock(clock))
		return failed(EINVAL);
	if (n == TIMERS)
		return failed(EAGAIN);
	struct timer made = { .is_used = true, .clock = clock };
	struct sigevent wanted = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	wanted.sigev_value.sival_int = (int)(n - INTERVAL_TIMERS);
	READS_OBJECT(event);
	if (!take_event(&made, event ? event : &wanted))
		return failed(EINVAL);
	libc_hidden(HIDDEN_PROCESS, true, PC);
	timers[n] = made;
	libc_will_write(to, sizeof(*to), PC);
	*to = (timer_t)(uintptr_t)(n - INTERVAL_TIMERS);
	WROTE_OBJECT(to);
	return 0;
}

static void show_timer(const struct timer *t, struct itimerspec *to, pc_t pc)
{
	uint64_t left = left_of(t);
	libc_will_write(to, sizeof(*to), pc);
	*to = (struct itimerspec){
		.it_interval = { (time_t)(t->interval / SECOND), (long)(t->interval % SECOND) },
		.it_value = { (time_t)(left / SECOND), (long)(left % SECOND) },
	};
	rt_libc_wrote(to, sizeof(*to), pc);
}

RT_EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *restrict value,
			    struct itimerspec *restrict old)
{
	if (!libc_enter(PC))
		return REAL_FN(timer_settime)(id, flags, value, old);
	struct timer *t = made_timer(id);
	READS_OBJECT(value);
	if (!t || !value)
		return failed(EINVAL);
	uint64_t due = 0, now = g.cur->time.now, interval = now;
	bool is_set = value->it_value.tv_sec || value->it_value.tv_nsec;
	bool is_absolute = flags & TIMER_ABSTIME;
	if (!(is_absolute ? clock_deadline(t->clock, &value->it_value, &due)
			  : clock_deadline_after(&value->it_value, &due)) ||
	    !clock_deadline_after(&value->it_interval, &interval))
		return failed(EINVAL);
	libc_hidden(HIDDEN_PROCESS, true, PC);
	if (old)
		show_timer(t, old, PC);
	/* one whose time has passed expires at once */
	set(t, !is_set ? 0 : due ? due : 1, interval - now, PC);
	return 0;
}

RT_EXPORT int timer_gettime(timer_t id, struct itimerspec *to)
{
	if (!libc_enter(PC))
		return REAL_FN(timer_gettime)(id, to);
	const struct timer *t = made_timer(id);
	if (!t)
		return failed(EINVAL);
	libc_hidden(HIDDEN_PROCESS, false, PC);
	show_timer(t, to, PC);
	return 0;
}

RT_EXPORT int timer_getoverrun(timer_t id)
{
	if (!libc_enter(PC))
		return REAL_FN(timer_getoverrun)(id);
	const struct timer *t = made_timer(id);
	libc_hidden(HIDDEN_PROCESS, false, PC);
	return t ? (int)t->missed : failed(EINVAL);
}

RT_EXPORT int timer_delete(timer_t id)
{
	if (!libc_enter(PC))
		return REAL_FN(timer_delete)(id);
	struct timer *t = made_timer(id);
	if (!t)
		return failed(EINVAL);
	libc_hidden(HIDDEN_PROCESS, true, PC);
	set(t, 0, 0, PC);
	t->is_used = false;
	return 0;
}
