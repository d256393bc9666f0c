/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual, causal time.  A thread's clock grows by its own reads of it, becomes the maximum of
 * both at every synchronisation and reads-from edge, and jumps to the deadline when a sleep ends.
 * So it is the same in equivalent schedules and never runs backwards along happens-before.
 *
 * Until a thread reads a clock all clocks are equal and nothing needs to be tracked; from then on
 * the clock of the last writer is kept for every byte written and every synchronisation object.
 */
#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/probe.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/thread.h"
#include "wire/wire.h"

/* On the hook stack, by their names without _here (hook_stack.S): their frames depend on whether
 * a clock was read. */
void clock_saw_write_here(uintptr_t addr, size_t size);
void clock_saw_read_here(uintptr_t addr, size_t size);
void clock_publish_here(uintptr_t obj);
void clock_receive_here(uintptr_t obj);

#define TICK 1000ull /* nanoseconds between two reads */
/* what the wall clock shows at the start: 2026-01-01 00:00:00 UTC */
#define EPOCH 1767225600000000000ull
#define UPTIME 1000000000000ull /* what the monotonic clock shows then */
#define SECOND 1000000000ull

/* The clocks of the last writers of 8 bytes; a synchronisation object counts as its first byte. */
struct clock_cell {
	uint64_t key; /* address / 8 + 1; 0: empty */
	uint64_t clock[8];
};

static RT_STATE struct clock_cell *stamps;
static RT_STATE uint64_t stamps_size, stamps_count;

static struct clock_cell *probe(uint64_t key)
{
	uint64_t i = key * 0x9e3779b97f4a7c15ull >> 20 & (stamps_size - 1);
	while (stamps[i].key && stamps[i].key != key)
		i = (i + 1) & (stamps_size - 1);
	return &stamps[i];
}

/* NULL if none of these 8 bytes has a clock. */
static struct clock_cell *stamp_find(uintptr_t addr)
{
	struct clock_cell *s = stamps_size ? probe(addr / 8 + 1) : NULL;
	return s && s->key ? s : NULL;
}

static struct clock_cell *stamp_make(uintptr_t addr)
{
	if (stamps_count * 2 >= stamps_size) {
		struct clock_cell *old = stamps;
		uint64_t old_size = stamps_size;
		stamps_size = old_size ? old_size * 2 : 1u << 13;
		stamps = rt_map(stamps_size * sizeof(*stamps));
		for (uint64_t i = 0; i < old_size; i++)
			if (old[i].key)
				*probe(old[i].key) = old[i];
	}
	struct clock_cell *s = probe(addr / 8 + 1);
	s->key = addr / 8 + 1;
	stamps_count++;
	return s;
}

void clock_saw_write_here(uintptr_t addr, size_t size)
{
	uint64_t now = g.cur->time.now;
	if (!rt_clock_on())
		return;
	for (uintptr_t a = addr, next; a < addr + size; a = next) {
		struct clock_cell *s = stamp_find(a);
		next = (a | 7) + 1;
		if (!s && !now)
			continue;
		if (!s)
			s = stamp_make(a);
		for (uintptr_t byte = a; byte < next && byte < addr + size; byte++)
			s->clock[byte & 7] = now;
	}
}

void clock_saw_read_here(uintptr_t addr, size_t size)
{
	if (!rt_clock_on())
		return;
	for (uintptr_t a = addr, next; a < addr + size; a = next) {
		const struct clock_cell *s = stamp_find(a);
		next = (a | 7) + 1;
		for (uintptr_t byte = a; s && byte < next && byte < addr + size; byte++)
			clock_join(&g.cur->time, s->clock[byte & 7]);
	}
}

void clock_publish_here(uintptr_t obj)
{
	uint64_t now = g.cur->time.now;
	if (!rt_clock_on() || !now)
		return;
	struct clock_cell *s = stamp_find(obj);
	if (!s)
		s = stamp_make(obj);
	if (s->clock[obj & 7] < now)
		s->clock[obj & 7] = now;
}

void clock_receive_here(uintptr_t obj)
{
	const struct clock_cell *s = rt_clock_on() ? stamp_find(obj) : NULL;
	if (s)
		clock_join(&g.cur->time, s->clock[obj & 7]);
}

/* The running thread reads its clock: nanoseconds since the start, larger at each read. */
static uint64_t read_clock(pc_t pc)
{
	g.slow |= HOT_CLOCK;
	g.cur->time.now += TICK;
	ev_sync(EV_CLOCK, 0, 0, g.cur->time.now, 0, pc);
	return g.cur->time.now;
}

static struct timespec spec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };
}

static bool is_wall_clock(clockid_t id)
{
	return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI ||
	       id == CLOCK_REALTIME_ALARM;
}

/* CPU time clocks show the virtual time too: the only time there is. */
static uint64_t base_of(clockid_t id)
{
	return is_wall_clock(id) ? EPOCH : UPTIME;
}

uint64_t clock_show(clockid_t id, pc_t pc)
{
	return base_of(id) + read_clock(pc);
}

RT_EXPORT int clock_gettime(clockid_t id, struct timespec *out)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(clock_gettime)(id, out);
	/* below 0 are the processor times of other threads and processes */
	if (id > CLOCK_TAI) {
		errno = EINVAL;
		return -1;
	}
	*out = spec_of(base_of(id) + read_clock(PC));
	rt_libc_wrote(out, sizeof(*out), PC);
	return 0;
}

RT_EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(gettimeofday)(out, zone);
	uint64_t ns = EPOCH + read_clock(PC);
	if (zone) {
		*(struct timezone *)zone = (struct timezone){ 0 };
		rt_libc_wrote(zone, sizeof(struct timezone), PC);
	}
	if (out) {
		*out = (struct timeval){ .tv_sec = (time_t)(ns / SECOND),
					 .tv_usec = (suseconds_t)(ns % SECOND / 1000) };
		rt_libc_wrote(out, sizeof(*out), PC);
	}
	return 0;
}

RT_EXPORT time_t time(time_t *out)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(time)(out);
	time_t now = (time_t)((EPOCH + read_clock(PC)) / SECOND);
	if (out) {
		*out = now;
		rt_libc_wrote(out, sizeof(*out), PC);
	}
	return now;
}

RT_EXPORT int timespec_get(struct timespec *out, int base)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(timespec_get)(out, base);
	if (base != TIME_UTC)
		return 0;
	*out = spec_of(EPOCH + read_clock(PC));
	rt_libc_wrote(out, sizeof(*out), PC);
	return base;
}

RT_EXPORT clock_t clock(void)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(clock)();
	return (clock_t)(read_clock(PC) / (SECOND / CLOCKS_PER_SEC));
}

/* The time of the process and its children in ticks: all of it counts as the process's own. */
RT_EXPORT clock_t times(struct tms *out)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(times)(out);
	const uint64_t tick = SECOND / 100;
	clock_t now = (clock_t)(read_clock(PC) / tick);
	if (out) {
		*out = (struct tms){ .tms_utime = now };
		rt_libc_wrote(out, sizeof(*out), PC);
	}
	return now;
}

/* ---- sleeping ---- */

/* What is left of the sleep when a signal ends it early, 0 otherwise. */
static uint64_t sleep_for(uint64_t ns, pc_t pc)
{
	g.slow |= HOT_CLOCK;
	thread_act_on_cancel(pc);
	ev_sync(EV_SLEEP, 0, 0, ns, 0, pc);
	uint64_t until = g.cur->time.now + ns;
	enum wait_end end = sched_wait(NULL, NULL, until, true);
	if (end == WAIT_CANCELLED)
		thread_act_on_cancel(pc);
	return end == WAIT_INTERRUPTED && until > g.cur->time.now ? until - g.cur->time.now : 0;
}

static bool is_valid(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < (long)SECOND;
}

/* Times later than anything that happens are all the same. */
static uint64_t to_ns(const struct timespec *t)
{
	if (t->tv_sec > 9000000000)
		return 9000000000ull * SECOND;
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

bool clock_deadline(int clock_id, const struct timespec *at, uint64_t *deadline)
{
	uint64_t base = base_of(clock_id), ns = at->tv_sec < 0 ? 0 : to_ns(at);
	g.slow |= HOT_CLOCK;
	*deadline = ns > base ? ns - base : 0;
	return at->tv_nsec >= 0 && at->tv_nsec < (long)SECOND;
}

bool clock_deadline_after(const struct timespec *duration, uint64_t *deadline)
{
	g.slow |= HOT_CLOCK;
	*deadline = g.cur->time.now + to_ns(duration);
	return is_valid(duration);
}

static int sleep_checked(const struct timespec *request, struct timespec *rest, uint64_t since,
			 pc_t pc)
{
	if (!rt_can_read(request, sizeof(*request)))
		return EFAULT;
	rt_libc_read(request, sizeof(*request), pc);
	if (!is_valid(request))
		return EINVAL;
	uint64_t until = to_ns(request);
	uint64_t left = sleep_for(until > since ? until - since : 0, pc);
	if (!left)
		return 0;
	if (rest) {
		*rest = spec_of(left);
		rt_libc_wrote(rest, sizeof(*rest), pc);
	}
	return EINTR;
}

int clock_sleep(const struct timespec *request, pc_t pc)
{
	int rc = is_valid(request) ? 0 : EINVAL;
	if (!rc && sleep_for(to_ns(request), pc))
		rc = EINTR;
	if (rc)
		errno = rc;
	return rc ? -1 : 0;
}

RT_EXPORT int nanosleep(const struct timespec *request, struct timespec *rest)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(nanosleep)(request, rest);
	int rc = sleep_checked(request, rest, 0, PC);
	if (rc)
		errno = rc;
	return rc ? -1 : 0;
}

RT_EXPORT int clock_nanosleep(clockid_t id, int flags, const struct timespec *request,
			      struct timespec *rest)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(clock_nanosleep)(id, flags, request, rest);
	bool is_absolute = flags & TIMER_ABSTIME;
	return sleep_checked(request, is_absolute ? NULL : rest,
			     is_absolute ? base_of(id) + g.cur->time.now : 0, PC);
}

RT_EXPORT int usleep(useconds_t us)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(usleep)(us);
	if (!sleep_for(us * 1000ull, PC))
		return 0;
	errno = EINTR;
	return -1;
}

RT_EXPORT unsigned sleep(unsigned seconds)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(sleep)(seconds);
	return (unsigned)((sleep_for(seconds * SECOND, PC) + SECOND - 1) / SECOND);
}

RT_EXPORT int thrd_sleep(const struct timespec *request, struct timespec *rest)
{
	if (!rt_local_wrapper(PC))
		return REAL_FN(thrd_sleep)(request, rest);
	int rc = sleep_checked(request, rest, 0, PC);
	return rc == EINTR ? -1 : rc ? -2 : 0;
}

static void yield(pc_t pc)
{
	rt_enter(pc);
	sched_yield_now();
	rt_point();
	ev_sync(EV_YIELD, 0, 0, 0, 0, pc);
}

RT_EXPORT int sched_yield(void)
{
	if (!g.active || g.internal)
		return REAL_FN(sched_yield)();
	yield(PC);
	return 0;
}

RT_EXPORT void thrd_yield(void)
{
	if (!g.active || g.internal)
		REAL_FN(thrd_yield)();
	else
		yield(PC);
}

RT_EXPORT int sched_getcpu(void)
{
	/* On borrowed TLS libc would read a stale number. */
	return g.session ? 0 : REAL_FN(sched_getcpu)();
}
