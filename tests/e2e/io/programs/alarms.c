/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timers of the program: one that interrupts a read, one that ticks beside a thread, and one for
 * longer than the program runs.  With an argument nothing else happens before it kills.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;

static void tick(int signal)
{
	(void)signal;
	ticks++;
}

static void *wait_for_ticks(void *unused)
{
	while (ticks < 4)
		;
	return unused;
}

int main(int count, char **arguments)
{
	(void)arguments;
	int ends[2];
	char c;
	if (count > 1) {
		alarm(2);
		pause();
	}
	struct sigaction action = { .sa_handler = tick };
	struct itimerval once = { .it_value.tv_usec = 20000 }, none = { .it_value.tv_usec = 0 };
	struct itimerval every = { { 0, 10000 }, { 0, 10000 } };
	assert(!sigaction(SIGALRM, &action, NULL) && !pipe(ends) && !setitimer(ITIMER_REAL, &once, NULL));
	assert(read(ends[0], &c, 1) == -1 && errno == EINTR && ticks == 1);
	pthread_t t;
	assert(!setitimer(ITIMER_REAL, &every, NULL));
	pthread_create(&t, NULL, wait_for_ticks, NULL);
	pthread_join(t, NULL);
	assert(!setitimer(ITIMER_REAL, &none, NULL) && ticks >= 4);
	signal(SIGALRM, SIG_DFL);
	alarm(100);
	puts("ticked");
	return 0;
}
