/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two producers and a consumer share a ring of two places.  A producer waits while the ring is full, but
 * with `if` where `while` is needed: another producer may have filled the place that the signal announced.
 */
#include <assert.h>
#include <pthread.h>

#define PLACES 2
#define ITEMS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int ring[PLACES];
static unsigned head, tail;

static void put(int item)
{
	pthread_mutex_lock(&lock);
	if (head - tail == PLACES)
		pthread_cond_wait(&not_full, &lock);
	assert(head - tail < PLACES);
	ring[head++ % PLACES] = item;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static int take(void)
{
	pthread_mutex_lock(&lock);
	while (head == tail)
		pthread_cond_wait(&not_empty, &lock);
	int item = ring[tail++ % PLACES];
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
	return item;
}

static void *producer(void *unused)
{
	for (int i = 0; i < ITEMS; i++)
		put(i);
	return unused;
}

int main(void)
{
	pthread_t first, second;
	int sum = 0;
	pthread_create(&first, NULL, producer, NULL);
	pthread_create(&second, NULL, producer, NULL);
	for (int i = 0; i < 2 * ITEMS; i++)
		sum += take();
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return sum == ITEMS * (ITEMS - 1) ? 0 : 1;
}
