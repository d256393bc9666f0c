/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timers that the program sets itself.  A watchdog for longer than the program runs does nothing.
 *
 * trace: T1 sleep
 * trace: T1 kill
 * trace: T0 handler-begin
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000

static volatile sig_atomic_t ticks;
static sem_t called;

static void tick(int signal)
{
	(void)signal;
	ticks++;
}

static void too_late(int signal)
{
	_exit(signal);
}

static void call(union sigval value)
{
	assert(value.sival_int == 77);
	sem_post(&called);
}

static void intervals(void)
{
	struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, none = { 0 }, left;
	assert(!alarm(0) && !setitimer(ITIMER_REAL, &none, NULL) && !getitimer(ITIMER_REAL, &left));
	assert(!left.it_value.tv_sec && !left.it_value.tv_usec && !ualarm(0, 0));
	assert(!alarm(1000) && alarm(2000) >= 999 && alarm(0) >= 1999 && !alarm(0));
	assert(setitimer(7, &none, NULL) == -1 && errno == EINVAL);
	none.it_value.tv_usec = 1000000;
	assert(setitimer(ITIMER_REAL, &none, NULL) == -1 && errno == EINVAL);
	none.it_value.tv_usec = 0;
	signal(SIGALRM, tick);
	assert(!setitimer(ITIMER_REAL, &every, NULL));
	while (ticks < 3)
		pause();
	assert(!setitimer(ITIMER_REAL, &none, &left) && left.it_interval.tv_usec == 5000);
	/* a loop that reads no clock */
	ticks = 0;
	every.it_interval.tv_usec = 0;
	assert(!setitimer(ITIMER_REAL, &every, NULL));
	while (!ticks)
		;
	/* a sleep that the timer ends */
	struct timespec long_time = { 600, 0 }, rest;
	assert(!setitimer(ITIMER_REAL, &every, NULL));
	assert(nanosleep(&long_time, &rest) == -1 && errno == EINTR && rest.tv_sec >= 500 && ticks == 2);
	/* and one that ends before the timer */
	struct timespec short_time = { 0, 1 * MS };
	alarm(1000);
	assert(!nanosleep(&short_time, NULL) && ticks == 2 && alarm(0) >= 999);
	assert(syscall(SYS_alarm, 50) == 0 && syscall(SYS_alarm, 0) == 50);
}

static void made(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 5 };
	struct itimerspec once = { { 0, 0 }, { 0, 3 * MS } }, left;
	siginfo_t info;
	sigset_t set;
	timer_t t, other;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	assert(!timer_create(CLOCK_MONOTONIC, &event, &t) && !timer_settime(t, 0, &once, NULL));
	assert(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_code == SI_TIMER && info.si_value.sival_int == 5);
	assert(!timer_gettime(t, &left) && !left.it_value.tv_nsec && !timer_getoverrun(t));
	/* at a time that has passed, and at one to come */
	struct timespec now;
	assert(!clock_gettime(CLOCK_MONOTONIC, &now));
	once.it_value = now;
	assert(!timer_settime(t, TIMER_ABSTIME, &once, NULL) && sigwaitinfo(&set, &info) == SIGRTMIN);
	once.it_value.tv_sec += 100;
	assert(!timer_settime(t, TIMER_ABSTIME, &once, NULL) && !timer_gettime(t, &left));
	assert(left.it_value.tv_sec >= 98 && left.it_value.tv_sec <= 100 && !timer_delete(t));
	event.sigev_notify = SIGEV_THREAD;
	event.sigev_notify_function = call;
	event.sigev_value.sival_int = 77;
	once.it_interval.tv_nsec = 2 * MS;
	once.it_value = (struct timespec){ 0, 2 * MS };
	assert(!timer_create(CLOCK_REALTIME, &event, &t) && !timer_settime(t, 0, &once, NULL));
	for (int i = 0; i < 3; i++)
		while (sem_wait(&called))
			;
	assert(!timer_delete(t) && timer_create(12345, NULL, &other) == -1 && errno == EINVAL);
	event.sigev_notify = SIGEV_NONE;
	assert(!timer_create(CLOCK_MONOTONIC, &event, &t) && !timer_settime(t, 0, &once, NULL));
	assert(!timer_gettime(t, &left) && left.it_interval.tv_nsec == 2 * MS && !timer_delete(t));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = 1000;
	assert(timer_create(CLOCK_MONOTONIC, &event, &t) == -1 && errno == EINVAL);
}

static void *work(void *unused)
{
	for (volatile int i = 0; i < 2000; i++)
		;
	return unused;
}

int main(void)
{
	sem_init(&called, 0, 0);
	intervals();
	made();
	signal(SIGALRM, too_late);
	alarm(300);
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	puts("timers work");
	return 0;
}
