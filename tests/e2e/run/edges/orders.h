/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of orders have in common: one value that a thread writes and another one uses. */
#ifndef ORDERS_H
#define ORDERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool is_racy;
static struct {
	int value;
	char rest[60];
} alone __attribute__((aligned(64)));

static void write_value(bool is_now)
{
	if (is_now)
		alone.value++;
}

/* Around what hands over. */
#define BEFORE write_value(!is_racy)
#define AFTER write_value(is_racy)
static volatile int used;
#define USE (used = alone.value)

static void two(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, a, NULL);
	pthread_create(&t[1], NULL, b, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

static inline struct timespec far_away(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 1000;
	return t;
}

struct order {
	const char *name;
	void (*run)(void);
};

/* The names of all, or the one that is asked for. */
static int run_order(const struct order *all, unsigned count, int argc, char **argv)
{
	is_racy = argc > 2;
	for (unsigned i = 0; i < count; i++) {
		if (argc < 2)
			printf("%s\n", all[i].name);
		else if (!strcmp(argv[1], all[i].name))
			all[i].run();
	}
	return 0;
}

#endif
