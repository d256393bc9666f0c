/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that may have to wait.  All threads share one OS thread, so a call is made only when it
 * will not sleep, which poll tells in advance; until then its thread waits in the model and
 * others run.  Being chosen while the descriptor is ready is what ends the wait, so when that
 * happens is part of the schedule.  A large write to a pipe or socket is made in parts that fit.
 *
 * When no other thread can run, the process sleeps in the kernel until a descriptor is ready, for
 * as long as the earliest deadline of any thread allows in real time: waiting for the outside is
 * not a deadlock.  A signal from outside ends the sleep, too.  If every descriptor that is waited
 * for has its other end in this process, it is one.
 *
 * Locks of files and ends of children cannot be waited for by poll.  They are tried again after
 * every other call to the outside, and a hundred times in a second while nothing else happens.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/outside.h"
#include "rt/probe.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/signal_outside.h"
#include "rt/signals.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define SECOND 1000000000ull
#define RETRY_PAUSE 10000000ull /* nanoseconds */
/* what is on its way between two sockets of ours arrives within that */
#define IN_FLIGHT 100000000ull
#define LOOK_EVERY 64 /* decisions, for what happens outside */

RT_STATE uint32_t outside_sleepers;
static RT_STATE uint64_t calls_made, calls_seen;
static RT_STATE uint32_t decisions;
static RT_KEPT struct pollfd all_fds[POLLFDS];

/* ---- readiness, for the scheduler ---- */

static bool any_ready(struct pollfd *fds, uint32_t count)
{
	return sys3(SYS_poll, fds, count, 0) != 0;
}

void outside_look(void)
{
	if (calls_seen == calls_made && ++decisions % LOOK_EVERY)
		return;
	bool is_new = calls_seen != calls_made;
	calls_seen = calls_made;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (t->io.is_waiting && !t->io.is_ready && !outside_signal_is_thread(t))
			t->io.is_ready = t->io.fds ? any_ready(t->io.fds, t->io.count) : is_new;
	}
}

/*
 * All descriptors that are waited for, in one list; *outside says whether another process can make
 * one ready, *flies whether something can be on its way to one.
 */
static uint32_t gather(bool *outside, bool *flies, bool *retries)
{
	uint32_t n = 0;
	*outside = *flies = *retries = false;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		const struct thread *t = rt_threads_live[i];
		if (!t->io.is_waiting || outside_signal_is_thread(t))
			continue;
		*retries |= !t->io.fds;
		for (uint32_t k = 0; k < t->io.count && n < POLLFDS; k++) {
			all_fds[n++] = t->io.fds[k];
			*flies |= t->io.fds[k].fd >= 0 && !descriptor_is_prompt(t->io.fds[k].fd);
			*outside |= t->io.fds[k].fd >= 0 && descriptor_is_outside(t->io.fds[k].fd);
		}
	}
	return n;
}

bool outside_idle(uint64_t deadline, uint64_t now)
{
	bool outside, flies, retries;
	uint32_t n = gather(&outside, &flies, &retries);
	outside |= outside_signal_may_come();
	uint64_t left = deadline == NO_DEADLINE ? NO_DEADLINE : deadline > now ? deadline - now : 0;
	if (!outside && !retries && left > IN_FLIGHT)
		left = flies ? IN_FLIGHT : 0;
	if (retries && left > RETRY_PAUSE)
		left = RETRY_PAUSE;
	if (!outside && !retries && deadline != NO_DEADLINE)
		left = 0;
	struct timespec t = { .tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND) };
	g.session->sleep_allowed++;
	long ready;
	do
		ready = outside_signal_poll(all_fds, n, left == NO_DEADLINE ? NULL : &t);
	while (ready == -EINTR && !outside_signal_came());
	g.session->sleep_allowed--;
	bool any = false;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *w = rt_threads_live[i];
		if (!w->io.is_waiting || outside_signal_is_thread(w))
			continue;
		w->io.is_ready = w->io.fds ? ready > 0 && any_ready(w->io.fds, w->io.count)
					   : left >= RETRY_PAUSE;
		any |= w->io.is_ready;
	}
	return any;
}

/* ---- waiting ---- */

/*
 * Handlers of signals find the stack at the same place in recording and replay, which come here
 * by different ways: so far below the frame of the system call that all of the runtime's frames
 * have room.
 */
static void attend(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0),
		  sp = (g.cur->io.call_sp - RUNTIME_ROOM) & ~15ull;
	if (!g.cur->needs_attention)
		return;
	if (g.cur->io.call_sp && sp < here && is_on_hook_stack(&g.cur->hook, sp))
		signal_call_at(sched_attend, sp);
	else
		sched_attend();
}

enum wait_end outside_sleep(struct pollfd *fds, uint32_t count, uint64_t deadline)
{
	uint32_t no_preempt = g.no_preempt, sleep_allowed = g.session->sleep_allowed;
	pc_t pc = g.hook_pc;
	g.no_preempt = 0;
	g.session->sleep_allowed = 0;
	g.cur->io.fds = fds;
	g.cur->io.count = count;
	outside_sleepers++;
	enum wait_end end = sched_wait_io(deadline);
	outside_sleepers--;
	attend();
	g.no_preempt = no_preempt;
	g.session->sleep_allowed = sleep_allowed;
	g.hook_pc = pc;
	rt_point();
	/* A search must name what follows in the same way whether the thread had to wait or not. */
	if (FAULT(IO_WAIT_COUNTS_HOOK))
		return end;
	if (g.session->policy == POLICY_EXPLORE && g.no_preempt && !explore_counts_waits())
		g.cur->step.hooks--;
	return end;
}

/* Does a call go on after a handler that does not want to end it?  Those that wait for several
 * descriptors never do. */
static bool goes_on(const struct call *c, uint64_t deadline)
{
	return g.cur->signals.restarts && deadline == NO_DEADLINE &&
	       call_class(c->nr) != CLASS_POLLS;
}

long outside_wait_for(const struct call *c, struct pollfd *fds, uint32_t count, uint64_t deadline)
{
	uint64_t due = timers_due(fds, count);
	if (deadline < due)
		due = deadline;
	g.slow |= HOT_CLOCK;
	bool locks = c->nr == SYS_flock || c->nr == SYS_fcntl;
	int64_t fd = count ? fds[0].fd : locks ? c->arg[0] : -1;
	ev_sync(EV_IO_WAIT, 0, 0, (uint64_t)fd, (uint64_t)c->nr, g.hook_pc);
	switch (outside_sleep(fds, count, due)) {
	case WAIT_WOKEN:
		return 0;
	case WAIT_TIMED_OUT:
		clock_join(&g.cur->time, due);
		ev_sync(EV_IO_TIME, 0, 0, g.cur->time.now, (uint64_t)c->nr, g.hook_pc);
		timers_fire();
		return deadline <= g.cur->time.now;
	case WAIT_INTERRUPTED:
		return goes_on(c, deadline) ? 0 : -EINTR;
	default:
		return -EINTR;
	}
}

static bool is_nonblocking(int fd)
{
	return sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK;
}

/* A socket may have a limit for waiting; NO_DEADLINE if it has none, or is no socket. */
static uint64_t socket_deadline(int fd, int option)
{
	struct timeval t = { 0, 0 };
	uint32_t size = sizeof(t);
	if (sys6(SYS_getsockopt, fd, SOL_SOCKET, option, (long)&t, (long)&size, 0) ||
	    (!t.tv_sec && !t.tv_usec))
		return NO_DEADLINE;
	return g.cur->time.now + (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_usec * 1000;
}

/* Until the descriptor is ready, or its call will not wait for that: 0, or -errno. */
static long until_ready(const struct call *c, short events)
{
	struct pollfd p = { .fd = (int)c->arg[0], .events = events };
	uint64_t deadline = NO_DEADLINE;
	bool is_first = true;
	while (!any_ready(&p, 1)) {
		if (is_nonblocking(p.fd))
			return 0;
		if (is_first)
			deadline =
				socket_deadline(p.fd, events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO);
		is_first = false;
		long end = outside_wait_for(c, &p, 1, deadline);
		if (end)
			return end < 0 ? end : -EAGAIN;
	}
	return 0;
}

/* ---- reading ---- */

static long perform_in(struct call *c)
{
	bool is_receive = c->nr == SYS_recvfrom || c->nr == SYS_recvmsg;
	long flags = c->nr == SYS_recvfrom ? c->arg[3] : c->nr == SYS_recvmsg ? c->arg[2] : 0;
	if (is_receive && flags & MSG_DONTWAIT)
		return call_perform(c);
	if (c->nr != SYS_recvfrom || !(flags & MSG_WAITALL)) {
		long failed = until_ready(c, POLLIN);
		return failed ? failed : call_perform(c);
	}
	/* All that was asked for, unless the stream ends. */
	struct call part = *c;
	part.arg[3] = flags & ~MSG_WAITALL;
	long done = 0;
	do {
		long n = until_ready(c, POLLIN);
		part.arg[1] = c->arg[1] + done;
		part.arg[2] = c->arg[2] - done;
		if (!n)
			n = call_perform(&part);
		if (n <= 0)
			return done ? done : n;
		done += n;
	} while (done < c->arg[2] && !(flags & MSG_PEEK));
	return done;
}

/* ---- writing ---- */

enum sink { SINK_PLAIN, SINK_PIPE, SINK_SOCKET };

static enum sink sink_of(int fd)
{
	struct stat st;
	if (sys3(SYS_fstat, fd, &st, 0))
		return SINK_PLAIN;
	return S_ISFIFO(st.st_mode) ? SINK_PIPE : S_ISSOCK(st.st_mode) ? SINK_SOCKET : SINK_PLAIN;
}

/* One run of bytes, in parts that do not sleep; the bytes written, or -errno if there are none. */
static long write_in_parts(const struct call *c, enum sink sink, const char *p, size_t n)
{
	size_t done = 0;
	int fd = (int)c->arg[0];
	do {
		long r = until_ready(c, POLLOUT);
		struct call part = { .nr = SYS_write,
				     .arg = { fd, (long)(p + done), (long)(n - done) } };
		if (sink == SINK_SOCKET) {
			part.nr = SYS_sendto;
			part.arg[3] = MSG_DONTWAIT;
		} else if (n - done > PIPE_BUF) {
			/* a pipe that is not full takes that much */
			part.arg[2] = PIPE_BUF;
		}
		if (!r)
			r = call_perform(&part);
		if (r == -EAGAIN && sink == SINK_SOCKET && !is_nonblocking(fd))
			continue;
		if (r < 0)
			return done ? (long)done : r;
		calls_made++;
		done += (size_t)r;
	} while (done < n && !is_nonblocking(fd));
	return (long)done;
}

static long write_vector(const struct call *c, enum sink sink)
{
	const struct iovec *v = (const void *)c->arg[1];
	long total = 0;
	if (c->arg[2] < 0 || c->arg[2] > 1024 /* UIO_MAXIOV */)
		return -EINVAL;
	if (!rt_can_read(v, (size_t)c->arg[2] * sizeof(*v)))
		return -EFAULT;
	for (long i = 0; i < c->arg[2]; i++) {
		if (!v[i].iov_len)
			continue;
		long n = write_in_parts(c, sink, v[i].iov_base, v[i].iov_len);
		if (n < 0)
			return total ? total : n;
		total += n;
		if ((size_t)n < v[i].iov_len)
			break;
	}
	return total;
}

/* A stream takes what fits, and the rest when there is room again. */
static long send_parts(const struct call *c)
{
	struct call part = *c;
	long done = 0;
	part.arg[3] |= MSG_DONTWAIT;
	do {
		long n = until_ready(c, POLLOUT);
		part.arg[1] = c->arg[1] + done;
		part.arg[2] = c->arg[2] - done;
		if (!n)
			n = call_perform(&part);
		if (n == -EAGAIN && !is_nonblocking((int)c->arg[0]))
			continue;
		if (n < 0)
			return done ? done : n;
		calls_made++;
		done += n;
	} while (done < c->arg[2] && !is_nonblocking((int)c->arg[0]));
	return done;
}

/* The connection is made in the background, and waited for. */
static long connect_to(struct call *c)
{
	int fd = (int)c->arg[0];
	long flags = sys3(SYS_fcntl, fd, F_GETFL, 0);
	if (flags < 0 || flags & O_NONBLOCK)
		return call_perform(c);
	sys3(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
	long r = call_perform(c);
	sys3(SYS_fcntl, fd, F_SETFL, flags);
	if (r != -EINPROGRESS)
		return r == -EAGAIN ? call_perform(c) : r; /* a local listener's queue is full */
	r = until_ready(c, POLLOUT);
	int error = 0;
	uint32_t size = sizeof(error);
	if (!r)
		sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, (long)&error, (long)&size, 0);
	return r ? r : -error;
}

static long perform_out(struct call *c)
{
	int fd = (int)c->arg[0];
	if (c->nr == SYS_connect)
		return connect_to(c);
	if (c->nr == SYS_sendto && !(c->arg[3] & MSG_DONTWAIT) && !c->arg[4])
		return send_parts(c);
	enum sink sink = sink_of(fd);
	if (c->nr == SYS_write && sink != SINK_PLAIN && !is_nonblocking(fd))
		return write_in_parts(c, sink, (const char *)c->arg[1], (size_t)c->arg[2]);
	if (c->nr == SYS_writev && sink == SINK_PIPE && !is_nonblocking(fd))
		return write_vector(c, sink);
	long flags = c->nr == SYS_sendto ? c->arg[3] : c->nr == SYS_sendmsg ? c->arg[2] : 0;
	if (flags & MSG_DONTWAIT)
		return call_perform(c);
	long failed = until_ready(c, POLLOUT);
	return failed ? failed : call_perform(c);
}

/* ---- what can only be tried again ---- */

static long try_again(struct call *c)
{
	struct call try = *c;
	bool is_child = c->nr == SYS_wait4 || c->nr == SYS_waitid;
	switch (c->nr) {
	case SYS_wait4:
		try.arg[2] |= WNOHANG;
		break;
	case SYS_waitid:
		try.arg[3] |= WNOHANG;
		break;
	case SYS_flock:
		try.arg[1] |= LOCK_NB;
		break;
	case SYS_fcntl:
		try.arg[1] = c->arg[1] == F_SETLKW ? F_SETLK : F_OFD_SETLK;
		break;
	}
	siginfo_t *info = c->nr == SYS_waitid ? (siginfo_t *)c->arg[2] : NULL;
	if (info && !rt_can_read(info, sizeof(*info)))
		return -EFAULT;
	for (;;) {
		if (info)
			info->si_pid = 0;
		long r = call_perform(&try);
		bool must_wait =
			is_child ? !r && (!info || !info->si_pid) : r == -EAGAIN || r == -EACCES;
		if (!must_wait)
			return r;
		long end = outside_wait_for(c, NULL, 0, NO_DEADLINE);
		if (end < 0)
			return end;
	}
}

static bool must_be_tried(const struct call *c)
{
	switch (c->nr) {
	case SYS_wait4:
		return !(c->arg[2] & WNOHANG);
	case SYS_waitid:
		return !(c->arg[3] & WNOHANG);
	case SYS_flock:
		return !(c->arg[1] & LOCK_NB) && c->arg[1] != LOCK_UN;
	case SYS_fcntl:
		return c->arg[1] == F_SETLKW || c->arg[1] == F_OFD_SETLKW;
	}
	return false;
}

/* ---- copies that go where the user looks: the bytes must be seen ---- */

static long copy_to_outlet(const struct call *c, int in, off_t *offset, int out, size_t n)
{
	if (offset && !rt_can_read(offset, sizeof(*offset)))
		return -EFAULT;
	if (n > sizeof(outside_copied))
		n = sizeof(outside_copied);
	long got = offset ? sys4(SYS_pread64, in, outside_copied, n, *offset)
			  : sys3(SYS_read, in, outside_copied, n);
	struct call put = { .nr = c->nr, .arg = { out, (long)outside_copied, got } };
	if (got > 0)
		got = write_in_parts(&put, sink_of(out), outside_copied, (size_t)got);
	if (got > 0 && offset)
		*offset += got;
	return got;
}

static long perform_output(struct call *c)
{
	if (c->nr == SYS_sendfile && descriptor_outlet((int)c->arg[0]))
		return copy_to_outlet(c, (int)c->arg[1], (off_t *)c->arg[2], (int)c->arg[0],
				      (size_t)c->arg[3]);
	if ((c->nr == SYS_splice || c->nr == SYS_copy_file_range) &&
	    descriptor_outlet((int)c->arg[2]))
		return copy_to_outlet(c, (int)c->arg[0], (off_t *)c->arg[1], (int)c->arg[2],
				      (size_t)c->arg[4]);
	return call_perform(c);
}

long wait_and_perform(struct call *c)
{
	timers_fire();
	calls_made++;
	switch (call_class(c->nr)) {
	case CLASS_WAIT_IN:
		return perform_in(c);
	case CLASS_WAIT_OUT:
		return perform_out(c);
	case CLASS_POLLS:
		return outside_perform_polls(c);
	case CLASS_TIMER:
		return timer_call(c);
	case CLASS_OUTPUT:
		return perform_output(c);
	default:
		return must_be_tried(c) ? try_again(c) : call_perform(c);
	}
}
