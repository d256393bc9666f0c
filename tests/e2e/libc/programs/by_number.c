/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls by number: each gives what the function of its name gives, and is recorded like it.
 *
 * trace: T0 open = 3
 * trace: T0 handler-begin
 * trace: T1 sleep
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char bytes[64];
static volatile int handled;

static void files(void)
{
	struct stat st, by_name;
	struct statx x;
	long fd = syscall(SYS_openat, AT_FDCWD, "by_number.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert(fd >= 0 && syscall(SYS_write, fd, "by number", 9l) == 9);
	assert(syscall(SYS_lseek, fd, -6l, SEEK_END) == 3 && syscall(SYS_read, fd, bytes, 64l) == 6);
	assert(!memcmp(bytes, "number", 6) && syscall(SYS_pread64, fd, bytes, 2l, 0l) == 2);
	struct iovec parts[2] = { { bytes, 3 }, { bytes + 32, 3 } };
	assert(syscall(SYS_preadv2, fd, parts, 2, 3l, 0l, 0) == 6 && !memcmp(bytes + 32, "ber", 3));
	assert(!syscall(SYS_fstat, fd, &st) && !fstat((int)fd, &by_name) && st.st_size == by_name.st_size);
	assert(!syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_SIZE, &x) && x.stx_size == 9);
	assert(!syscall(SYS_newfstatat, AT_FDCWD, "by_number.txt", &st, 0) && st.st_size == 9);
	assert(!syscall(SYS_faccessat, AT_FDCWD, "by_number.txt", R_OK) &&
	       !syscall(SYS_faccessat2, AT_FDCWD, "by_number.txt", R_OK, AT_EACCESS));
	struct {
		unsigned long flags, mode, resolve;
	} how = { O_RDONLY, 0, 0 };
	long again = syscall(SYS_openat2, AT_FDCWD, "by_number.txt", &how, sizeof(how));
	assert(again > fd && !syscall(SYS_close_range, again, again, 0) && read((int)again, bytes, 1) == -1);
	assert(!syscall(SYS_close, fd) && syscall(SYS_close, fd) == -1 && errno == EBADF);
	assert(!syscall(SYS_unlink, "by_number.txt") && syscall(SYS_unlink, "by_number.txt") == -1 && errno == ENOENT);
	assert(syscall(SYS_read, -1, bytes, 1l) == -1 && errno == EBADF);
	assert(syscall(SYS_getcwd, bytes, 2l) == -1 && errno == ERANGE);
	static char path[4096];
	assert(syscall(SYS_getcwd, path, sizeof(path)) == (long)strlen(path) + 1);
}

static void waiting(void)
{
	int ends[2];
	struct epoll_event event = { .events = EPOLLIN };
	assert(!syscall(SYS_pipe2, ends, O_CLOEXEC) && syscall(SYS_write, ends[1], "x", 1l) == 1);
	struct pollfd fd = { .fd = ends[0], .events = POLLIN };
	struct timespec none = { 0, 0 }, soon = { 0, 1000 };
	assert(syscall(SYS_poll, &fd, 1, -1) == 1 && syscall(SYS_ppoll, &fd, 1, &none, NULL, 8l) == 1);
	fd_set set;
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	assert(syscall(SYS_pselect6, ends[0] + 1, &set, NULL, NULL, &none, NULL) == 1 && FD_ISSET(ends[0], &set));
	long epoll = syscall(SYS_epoll_create1, 0);
	assert(epoll >= 0 && !syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, ends[0], &event));
	assert(syscall(SYS_epoll_wait, epoll, &event, 1, -1) == 1 &&
	       syscall(SYS_epoll_pwait2, epoll, &event, 1, &none, NULL, 8l) == 1);
	long counter = syscall(SYS_eventfd2, 5, 0);
	assert(counter >= 0 && syscall(SYS_read, counter, bytes, 8l) == 8 && bytes[0] == 5);
	assert(!syscall(SYS_nanosleep, &soon, NULL) && !syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &soon, NULL));
	soon.tv_nsec = -1;
	assert(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &soon, NULL) == -1 && errno == EINVAL);
}

static void handle(int signal)
{
	/* inside another call by number */
	assert(signal == SIGUSR1 && syscall(SYS_getpid) == getpid());
	handled++;
}

static void signals(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action, old;
	struct sigaction by_name = { .sa_handler = handle };
	unsigned long set = 1ul << (SIGUSR1 - 1), before = 0;
	assert(!sigaction(SIGUSR1, &by_name, NULL));
	assert(!syscall(SYS_rt_sigaction, SIGUSR1, NULL, &old, 8l) && old.handler == handle);
	action = old;
	assert(!syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8l));
	assert(syscall(SYS_rt_sigaction, SIGKILL, &action, NULL, 8l) == -1 && errno == EINVAL);
	assert(!syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &before, 8l) && !(before & set));
	assert(!syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1) && !handled);
	assert(!syscall(SYS_rt_sigpending, &before, 8l) && before == set);
	assert(!syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8l) && handled == 1);
	assert(!syscall(SYS_kill, getpid(), SIGUSR1) && !syscall(SYS_tkill, gettid(), SIGUSR1) && handled == 3);
	assert(syscall(SYS_tgkill, getpid(), -1, SIGUSR1) == -1);
}

static void machine(void)
{
	struct timespec at, by_name;
	struct timeval day;
	cpu_set_t set;
	unsigned cpu = 1000, node = 1000;
	assert(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &at) && !clock_gettime(CLOCK_MONOTONIC, &by_name));
	assert(by_name.tv_sec >= at.tv_sec && by_name.tv_sec < at.tv_sec + 5 && !syscall(SYS_gettimeofday, &day, NULL));
	assert(labs((long)syscall(SYS_time, NULL) - (long)day.tv_sec) < 5);
	assert(syscall(SYS_sched_getaffinity, 0, sizeof(set), &set) >= 8 && !syscall(SYS_getcpu, &cpu, &node, NULL));
	assert(cpu < 1000 && syscall(SYS_getpriority, 0, 0) == 20 - getpriority(PRIO_PROCESS, 0) && syscall(SYS_ioprio_get, 1, 0) >= 0);
	assert(syscall(SYS_getuid) == getuid() && syscall(SYS_getpid) == getpid() && syscall(SYS_gettid) == getpid());
	unsigned char *p = (void *)syscall(SYS_mmap, NULL, 4096l, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
					   -1, 0l);
	assert(p != MAP_FAILED && !p[0] && (p[1] = 1) && !syscall(SYS_mlock, p, 4096l) && !syscall(SYS_munmap, p, 4096l));
	assert(syscall(SYS_brk, 0l) == (long)sbrk(0));
	static unsigned char random[8];
	assert(syscall(SYS_getrandom, random, sizeof(random), 0) == 8);
	assert(!syscall(SYS_membarrier, 0, 0) == !syscall(SYS_membarrier, 0, 0));
}

static void *thread(void *unused)
{
	struct timespec soon = { 0, 1000 };
	assert(!syscall(SYS_nanosleep, &soon, NULL) && syscall(SYS_gettid) != getpid());
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, thread, NULL);
	files();
	waiting();
	signals();
	machine();
	pthread_join(t, NULL);
	int status;
	fflush(stdout);
	long child = syscall(SYS_clone, SIGCHLD, 0l, 0l, 0l, 0l);
	if (!child)
		_exit(7);
	assert(child > 0 && syscall(SYS_wait4, child, &status, 0, NULL) == child && WEXITSTATUS(status) == 7);
	syscall(SYS_write, 1, "calls by number work\n", 21l);
	syscall(SYS_exit_group, 0);
	return 1;
}
