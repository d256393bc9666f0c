/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process: identities, randomness, signals that are ignored, mappings.
 *
 * trace: T0 alloc .*
 * trace: T0 input
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

static pid_t other;

static void *thread(void *unused)
{
	(void)unused;
	other = gettid();
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	assert(gettid() == getpid() && other != gettid() && getppid() > 0 && getuid() == geteuid());
	static unsigned char random[8];
	assert(getrandom(random, sizeof(random), 0) == 8 && !getentropy(random, sizeof(random)));
	static struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	static sigset_t set, before;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	assert(!sigaction(SIGUSR1, &ignore, &old) && old.sa_handler == SIG_DFL && !raise(SIGUSR1));
	assert(signal(SIGUSR2, SIG_IGN) == SIG_DFL && !kill(getpid(), SIGUSR2) && !kill(getpid(), 0));
	assert(!sigaction(SIGSEGV, NULL, &old) && old.sa_handler == SIG_DFL && !raise(SIGCHLD));
	assert(!pthread_sigmask(SIG_BLOCK, &set, &before) && !sigismember(&before, SIGUSR2));
	char *p = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(p != MAP_FAILED && !p[9999]);
	memset(p, 7, 10000);
	assert(!mprotect(p, 4096, PROT_READ) && p[0] == 7 && !madvise(p + 4096, 4096, MADV_DONTNEED) &&
	       !p[5000] && !munmap(p, 10000));
	static struct utsname name;
	static struct rusage usage;
	static struct rlimit limit;
	static cpu_set_t cpus;
	assert(!uname(&name) && !strcmp(name.sysname, "Linux") && !getrusage(RUSAGE_SELF, &usage) &&
	       !getrlimit(RLIMIT_NOFILE, &limit));
	assert(!sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) > 0 && limit.rlim_cur > 0);
	static pthread_attr_t attributes;
	static size_t stack;
	static int detached = -1;
	assert(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, 1 << 20) &&
	       !pthread_attr_getstacksize(&attributes, &stack) && stack == 1 << 20 &&
	       !pthread_attr_getdetachstate(&attributes, &detached) && detached == PTHREAD_CREATE_JOINABLE);
	puts("process functions work");
	return 0;
}
