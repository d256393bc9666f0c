/* SPDX-License-Identifier: Apache-2.0 */
/* One thread puts ITEMS items into a ring under a lock, the other takes them. */
#include "threads.h"

#ifndef ITEMS
#define ITEMS 7
#endif
#define PLACES 10

static pthread_mutex_t lock;
static int ring[PLACES], first, next, count;

static void *put(void *unused)
{
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&lock);
		if (count < PLACES) {
			ring[next] = i;
			next = (next + 1) % PLACES;
			count++;
		}
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *take(void *unused)
{
	int expected = 0;
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&lock);
		if (count) {
			assert(ring[first] == expected);
			expected++;
			first = (first + 1) % PLACES;
			count--;
		}
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_mutex_init(&lock, NULL);
	start(0, put);
	start(1, take);
	join_all(2);
	return 0;
}
