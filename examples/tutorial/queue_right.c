/* SPDX-License-Identifier: Apache-2.0 */
/* A queue for one producer and one consumer, without locks.  A consumer that finds it empty goes to sleep. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SIZE 2

static int slots[SIZE];
static atomic_uint put_count, taken_count;
static atomic_int asleep;
static sem_t wakeup;

static void put(int item)
{
	unsigned n = atomic_load_explicit(&put_count, memory_order_relaxed);
	while (n - atomic_load_explicit(&taken_count, memory_order_acquire) == SIZE)
		;	/* full */
	slots[n % SIZE] = item;
	atomic_store_explicit(&put_count, n + 1, memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&asleep, memory_order_acquire)) {
		atomic_store_explicit(&asleep, 0, memory_order_release);
		sem_post(&wakeup);
	}
}

static int take(void)
{
	unsigned n = atomic_load_explicit(&taken_count, memory_order_relaxed);
	while (atomic_load_explicit(&put_count, memory_order_acquire) == n) {
		atomic_store_explicit(&asleep, 1, memory_order_release);
		atomic_thread_fence(memory_order_seq_cst);
		if (atomic_load_explicit(&put_count, memory_order_acquire) == n)
			sem_wait(&wakeup);
	}
	int item = slots[n % SIZE];
	atomic_store_explicit(&taken_count, n + 1, memory_order_release);
	return item;
}

static void *producer(void *arg)
{
	for (int item = 1; item <= *(int *)arg; item++)
		put(item);
	return NULL;
}

int main(int argc, char **argv)
{
	int items = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread;
	sem_init(&wakeup, 0, 0);
	pthread_create(&thread, NULL, producer, &items);
	for (int item = 1; item <= items; item++)
		assert(take() == item);
	pthread_join(thread, NULL);
	return 0;
}
