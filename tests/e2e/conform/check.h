/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of the conformance suite share.  A program is a list of checks
 *
 * 	CHECK(name)
 * 	{
 * 		EQUAL(pthread_mutex_lock(&m), 0);
 * 	}
 *
 * that are run in the order of the file; each prints one line, "ok name", or "not ok name" with the first
 * thing that was not as it must be.  The suite compares the output with the list of names, so a check cannot
 * be lost.
 *
 * A check must hold under every schedule, natively and under heddle.  What shows that a thread is blocked is
 * that it does not go on: `settle` gives it time to do so wrongly, and never makes a correct program fail.
 */
#ifndef CONFORM_CHECK_H
#define CONFORM_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct check {
	const char *name;
	void (*body)(void);
	struct check *next;
};

static struct check *checks_first, **checks_end = &checks_first;
static char check_problem[256];

/* Constructors of one file run in its order. */
#define CHECK(id)                                                                   \
	static void check_##id(void);                                               \
	__attribute__((constructor)) static void check_add_##id(void)               \
	{                                                                           \
		static struct check c = { #id, check_##id, NULL };                  \
		*checks_end = &c;                                                   \
		checks_end = &c.next;                                               \
	}                                                                           \
	static void check_##id(void)

#define EQUAL(expression, expected) check_equal((long)(expression), (long)(expected), __LINE__, #expression)
#define TRUE(condition) check_equal(!!(condition), 1, __LINE__, #condition)

/* Only the main thread of the program calls these; what other threads see they store for it. */
static inline void check_equal(long got, long expected, int line, const char *what)
{
	if (got != expected && !check_problem[0])
		snprintf(check_problem, sizeof(check_problem), "line %d: %s is %ld, not %ld", line, what, got,
			 expected);
}

static inline pthread_t start(void *(*body)(void *), void *argument)
{
	pthread_t t;
	if (pthread_create(&t, NULL, body, argument))
		abort();
	return t;
}

static inline void *join(pthread_t t)
{
	void *result = NULL;
	if (pthread_join(t, &result))
		abort();
	return result;
}

/* Time for a thread that should not go on to do so. */
static inline void settle(void)
{
	usleep(5000);
}

/* Wait until another thread has counted up to n. */
static inline void await(atomic_int *counter, int n)
{
	while (atomic_load(counter) < n)
		usleep(100);
}

/* The time on a clock some milliseconds from now; negative: in the past. */
static inline struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec t;
	clock_gettime(clock, &t);
	long long ns = (long long)t.tv_sec * 1000000000 + t.tv_nsec + ms * 1000000ll;
	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

static inline int has_passed(clockid_t clock, const struct timespec *deadline)
{
	struct timespec now;
	clock_gettime(clock, &now);
	if (now.tv_sec != deadline->tv_sec)
		return now.tv_sec > deadline->tv_sec;
	return now.tv_nsec >= deadline->tv_nsec;
}

int main(void)
{
	int failed = 0;
	for (struct check *c = checks_first; c; c = c->next) {
		check_problem[0] = 0;
		c->body();
		if (check_problem[0])
			printf("not ok %s: %s\n", c->name, check_problem);
		else
			printf("ok %s\n", c->name);
		failed |= check_problem[0] != 0;
	}
	return failed;
}

#endif
