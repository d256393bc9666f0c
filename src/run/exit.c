/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit() while other threads are alive: they get some time, since otherwise most of what they are
 * about to do would never be seen.  exit() waits until all other threads have ended or are blocked
 * permanently, at most for options.exit_wait.
 *
 * The handler is registered when the first thread is created.  So it runs before the destructors
 * of objects that existed before that, which the other threads may still use.
 *
 * The state of a thread is read from /proc/self/task/ID/syscall: "running", or the system call
 * that it waits in.  A thread is blocked permanently if that call has no timeout and two reads
 * give the same.  An unknown state counts as running.  A main thread that called pthread_exit
 * stays in the list until the process ends; its line has neither a stack pointer nor a program
 * counter.
 */
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>

#include "run/memory.h"
#include "run/run.h"
#include "run/start.h"

#define OTHERS_MAX 64 /* threads whose states are compared; more count as running */
#define TEXT_MAX 160
#define PAUSE_FIRST 1000000l /* nanoseconds */
#define PAUSE_LAST 16000000l

int __cxa_atexit(void (*function)(void *), void *argument, void *object);

struct entry {
	uint64_t inode, offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

/* The other threads: how many there are, and whether one of them may still run. */
struct others {
	unsigned count;
	bool may_run;
	bool has_outside; /* one waits for something from outside the process */
	uint64_t sum;	  /* hash of all lines */
};

static long number_of(const char *s)
{
	long n = 0;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (*s - '0');
	return n;
}

/* Argument i of the system call in a line. */
static uint64_t argument_of(const char *line, unsigned i)
{
	uint64_t n = 0;
	for (i++; i; i--) {
		while (*line && *line != ' ')
			line++;
		line += *line == ' ';
	}
	if (line[0] == '0' && line[1] == 'x')
		line += 2;
	for (;; line++) {
		if (*line >= '0' && *line <= '9')
			n = n << 4 | (uint64_t)(*line - '0');
		else if (*line >= 'a' && *line <= 'f')
			n = n << 4 | (uint64_t)(*line - 'a' + 10);
		else
			return n;
	}
}

/* Waits for other threads without a timeout.  Calls that are not listed end by themselves. */
static bool is_blocked(const char *line)
{
	if (*line < '0' || *line > '9')
		return false;
	switch (number_of(line)) {
	case SYS_futex:
		return !argument_of(line, 3);
	case SYS_poll:
		return (int32_t)argument_of(line, 2) < 0;
	case SYS_ppoll:
	case SYS_rt_sigtimedwait:
		return !argument_of(line, 2);
	case SYS_select:
	case SYS_pselect6:
		return !argument_of(line, 4);
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (int32_t)argument_of(line, 3) < 0;
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_wait4:
	case SYS_waitid:
		return true;
	default:
		return false;
	}
}

static bool has_ended(const char *line)
{
	static const char ended[] = "-1 0x0 0x0\n";
	unsigned i = 0;
	while (ended[i] && line[i] == ended[i])
		i++;
	return !ended[i];
}

static void read_thread(struct others *o, const char *name)
{
	char path[64], line[TEXT_MAX];
	run_put_text(run_put_text(run_put_text(path, "/proc/self/task/"), name), "/syscall");
	long n = run_read_file(path, line, sizeof(line) - 1);
	line[n > 0 ? n : 0] = 0;
	if (has_ended(line))
		return;
	o->count++;
	if (!is_blocked(line) || o->count > OTHERS_MAX)
		o->may_run = true;
	o->has_outside |= number_of(line) != SYS_futex;
	for (const char *s = line; *s; s++)
		o->sum = (o->sum ^ (uint8_t)*s) * 0x100000001b3ull;
}

static struct others read_others(void)
{
	struct others o = { 0 };
	char room[2048];
	long self = run_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0), n;
	long fd = run_syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/task",
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return o;
	while ((n = run_syscall(SYS_getdents64, fd, (long)room, sizeof(room), 0, 0, 0)) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *e = (const struct entry *)(room + at);
			if (e->name[0] != '.' && number_of(e->name) != self)
				read_thread(&o, e->name);
			at += e->length;
		}
	}
	run_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	return o;
}

static uint64_t now(void)
{
	struct timespec t = { 0 };
	run_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wait_for_others(void *unused)
{
	(void)unused;
	uint64_t end = now() + run_state.options.exit_wait * 1000000ull, sum = 0;
	struct timespec moment = { 0, PAUSE_FIRST };
	for (;;) {
		struct others o = read_others();
		if (!o.count || (!o.may_run && sum == o.sum) || now() >= end)
			return;
		sum = o.may_run ? 0 : o.sum;
		run_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
		if (moment.tv_nsec < PAUSE_LAST)
			moment.tv_nsec *= 2;
	}
}

bool exit_others_wait(void)
{
	struct timespec moment = { 0, PAUSE_LAST };
	struct others first = read_others();
	run_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	struct others o = read_others();
	return !o.may_run && !o.has_outside && !first.may_run && o.sum == first.sum;
}

void exit_begin(void)
{
	if (run_state.options.exit_wait)
		__cxa_atexit(wait_for_others, NULL, NULL);
}
