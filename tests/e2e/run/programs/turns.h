/* SPDX-License-Identifier: Apache-2.0 */
/* An order of steps that no detector sees: turn(n) waits until done(n) was called. */
#ifndef HEDDLE_TEST_TURNS_H
#define HEDDLE_TEST_TURNS_H

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int turns_done;

__attribute__((no_sanitize("thread"), noinline, unused)) static void turn(int n)
{
	while (turns_done < n)
		sched_yield();
}

__attribute__((no_sanitize("thread"), noinline, unused)) static void done(int n)
{
	__asm__ volatile("" : : : "memory");
	turns_done = n;
}

/* Both threads to their ends. */
__attribute__((unused)) static void both(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, a, NULL);
	pthread_create(&t[1], NULL, b, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

#define LOCK(m) pthread_mutex_lock(&m)
#define UNLOCK(m) pthread_mutex_unlock(&m)
#define MUTEX(m) static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER

#endif
