/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are cancelled, at every kind of cancellation point; one program for each macro.  A line tells
 * what the thread has done, and whether it was cancelled.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t available;
static int ends[2];
static int state;			/* of the target */
static atomic_int flag, cleaned;
static pthread_t target, helper;

#if defined(COND_SIGNAL) || defined(COND_BROADCAST) || defined(SEM_POST) || defined(SEM_TIMED) || \
	defined(READ_DATA) || defined(POLL) || defined(SPIN_FLAG) || defined(SPIN_ONLY) || \
	defined(SLEEP_FLAG) || defined(TWICE) || defined(SIGWAIT) || defined(SUSPEND) || \
	defined(CONTENDED) || defined(JOIN) || defined(JOIN_END)
#define HELPED
#endif

#define DEADLINE &(struct timespec){ .tv_sec = 2000000000 }

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
}

static void unlock(void *unused)
{
	cleaned++;
#ifndef KEEPS_LOCK
	pthread_mutex_unlock(&lock);
#endif
	(void)unused;
}

/* Wait for the condition under the lock, once. */
static void wait_once(void)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, NULL);
	state = 1;
#ifdef COND_TIMED
	pthread_cond_timedwait(&changed, &lock, DEADLINE);
#else
	pthread_cond_wait(&changed, &lock);
#endif
	state = 2;
	pthread_cleanup_pop(0);
	pthread_mutex_unlock(&lock);
}

static void *other(void *arg)
{
#if defined(COND_SIGNAL) || defined(COND_TWO) || defined(COND_LATE)
	pthread_cond_signal(&changed);
#elif defined(COND_BROADCAST)
	pthread_cond_broadcast(&changed);
#elif defined(SEM_POST) || defined(SEM_TIMED)
	sem_post(&available);
#elif defined(READ_DATA) || defined(POLL)
	write(ends[1], "x", 1);
#elif defined(SPIN_FLAG) || defined(SPIN_ONLY) || defined(SLEEP_FLAG)
	flag = 1;
#elif defined(TWICE)
	pthread_cancel(target);
#elif defined(SIGWAIT) || defined(SUSPEND)
	pthread_kill(target, SIGUSR1);
#elif defined(JOIN_END)
	flag = 1;
#elif defined(JOIN)
	sem_wait(&available);
#elif defined(CONTENDED)
	pthread_mutex_lock(&lock);
	flag++;
	pthread_mutex_unlock(&lock);
#endif
	return arg;
}

#ifdef SUSPEND
static void handle(int number)
{
	(void)number;
	state += 10;
}
#endif

static void *run(void *arg)
{
	pthread_cleanup_push(clean, NULL);
#if defined(TEST) || defined(TWICE) || defined(DETACHED) || defined(ASYNC)
#ifdef ASYNC
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
#endif
	state = 1;
	pthread_testcancel();
	state = 2;
#elif defined(TEST_TWO)
	state = 1;
	pthread_testcancel();
	state = 2;
	flag = 1;
	pthread_testcancel();
	state = 3;
#elif defined(SPIN)
	for (;;)
		pthread_testcancel();
#elif defined(SPIN_FLAG)
	while (!flag)
		pthread_testcancel();
	state = 1;
	pthread_testcancel();
	state = 2;
#elif defined(SPIN_ONLY)
	/* no cancellation point until the flag is set */
	while (!flag)
		;
	state = 1;
	pthread_testcancel();
	state = 2;
#elif defined(SLEEP)
	for (;;)
		sleep(1);
#elif defined(SLEEP_FLAG)
	while (!flag)
		usleep(1);
	state = 1;
#elif defined(SLEEP_ONCE)
	state = 1;
	usleep(10);
	state = 2;
#elif defined(OFF)
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	state = 1;
	pthread_testcancel();
	state = 2;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	state = 3;
	pthread_testcancel();
	state = 4;
#elif defined(OFF_WAITS)
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_wait(&available);
	state = 1;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	sem_wait(&available);
	state = 2;
#elif defined(COND_SIGNAL) || defined(COND_BROADCAST) || defined(COND_TIMED)
	wait_once();
	pthread_testcancel();
	state = 3;
#elif defined(COND_TWO) || defined(COND_LATE)
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, NULL);
	flag++;
	pthread_cond_wait(&changed, &lock);
	state = 1;
	pthread_cleanup_pop(1);
#elif defined(COND) || defined(CONTENDED) || defined(KEEPS_LOCK)
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, NULL);
	for (;;)
		pthread_cond_wait(&changed, &lock);
	pthread_cleanup_pop(1);
#elif defined(SEM) || defined(SEM_POST)
	sem_wait(&available);
	state = 1;
#elif defined(SEM_TIMED)
	state = sem_timedwait(&available, DEADLINE) ? 1 : 2;
#elif defined(JOIN) || defined(JOIN_END)
	pthread_join(helper, NULL);
	state = 1;
#elif defined(READ) || defined(READ_DATA)
	char c;
	read(ends[0], &c, 1);
	state = 1;
#elif defined(POLL)
	poll(&(struct pollfd){ ends[0], POLLIN, 0 }, 1, -1);
	state = 1;
#elif defined(LATE)
	state = 1;
	flag = 1;
	state = 2;
#elif defined(SELF)
	pthread_cancel(pthread_self());
	state = 1;
	pthread_testcancel();
	state = 2;
#elif defined(SIGWAIT)
	sigset_t set;
	int number;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &number);
	state = 1;
#elif defined(SUSPEND)
	sigset_t none;
	sigemptyset(&none);
	sigsuspend(&none);
	state++;
#elif defined(EXITS)
	pthread_testcancel();
	state = 1;
	pthread_exit((void *)5);
#endif
	pthread_cleanup_pop(0);
	return arg;
}

#if defined(COND_TWO) || defined(COND_LATE)
/* Of two threads that wait one is cancelled, and one signal comes when both wait: it is for the other one then. */
static int two(void)
{
	pthread_t second;
	void *result = NULL;
	int waiting = 0;
	pthread_create(&target, NULL, run, NULL);
	pthread_create(&second, NULL, run, NULL);
	while (waiting < 2) {
		pthread_mutex_lock(&lock);
		waiting = flag;
		pthread_mutex_unlock(&lock);
	}
#ifdef COND_LATE
	pthread_create(&helper, NULL, other, NULL);
	pthread_cancel(target);
#else
	pthread_cancel(target);
	pthread_create(&helper, NULL, other, NULL);
#endif
	pthread_join(target, &result);
	pthread_join(helper, NULL);
	if (result == PTHREAD_CANCELED)
		pthread_join(second, NULL);
	printf("%d %s\n", cleaned, result == PTHREAD_CANCELED ? "cancelled" : "ended");
	exit(0);
}
#endif

int main(void)
{
	void *result = NULL;
	int rc;
	sem_init(&available, 0, 0);
#if defined(READ) || defined(READ_DATA) || defined(POLL)
	if (pipe(ends))
		return 2;
#endif
#if defined(SIGWAIT) || defined(SUSPEND)
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
#endif
#ifdef SUSPEND
	signal(SIGUSR1, handle);
#endif
#if defined(COND_TWO) || defined(COND_LATE)
	return two();
#endif
#if defined(JOIN) || defined(JOIN_END)
	pthread_create(&helper, NULL, other, NULL);
#endif
#ifdef DETACHED
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&target, &attr, run, NULL);
	rc = pthread_cancel(target);
	printf("%d\n", rc);
	return 0;
#endif
	pthread_create(&target, NULL, run, NULL);
#if defined(HELPED) && !defined(JOIN) && !defined(JOIN_END)
	pthread_create(&helper, NULL, other, NULL);
#endif
#ifdef OFF_WAITS
	sem_post(&available);
#endif
#ifndef SELF
	rc = pthread_cancel(target);
#else
	rc = 0;
#endif
#if defined(TWICE) || defined(SIGWAIT) || defined(SUSPEND)
	pthread_join(helper, NULL);	/* which uses the target */
	pthread_join(target, &result);
#else
	pthread_join(target, &result);
#endif
#ifdef JOIN
	sem_post(&available);
	if (result == PTHREAD_CANCELED)
		pthread_join(helper, NULL);
#elif defined(JOIN_END)
	if (result == PTHREAD_CANCELED)
		pthread_join(helper, NULL);
#elif defined(HELPED) && !defined(TWICE) && !defined(SIGWAIT) && !defined(SUSPEND)
	pthread_join(helper, NULL);
#endif
#ifdef KEEPS_LOCK
	pthread_mutex_lock(&lock);
#endif
	int value = 0;
	sem_getvalue(&available, &value);
	printf("%d %d %d %d %s\n", rc, state, cleaned, value,
	       result == PTHREAD_CANCELED ? "cancelled" : result ? "exit" : "ended");
	return 0;
}
