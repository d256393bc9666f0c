/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded buffer with two producers and two consumers, ROUNDS messages each.  SPLIT: a producer reads how many there are in one
 * section and writes the new number in another one.
 */
#include <pthread.h>

#define SIZE 4
static int slots[SIZE], head, tail, count;
static long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		while (count == SIZE)
			pthread_cond_wait(&not_full, &lock);
		slots[head] = i;
		head = (head + 1) % SIZE;
#ifdef SPLIT
		int before = count;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		count = before + 1;
#else
		count++;
#endif
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *consume(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		while (count == 0)
			pthread_cond_wait(&not_empty, &lock);
		sum += slots[tail];
		tail = (tail + 1) % SIZE;
		count--;
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? consume : produce, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
