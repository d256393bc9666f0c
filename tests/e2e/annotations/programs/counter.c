/* Threads that count under a lock of the program's own, and hand over a message by an ordering of its own. */
#include <pthread.h>
#include <stdio.h>

#include "dialect.h"

static struct spin guard;
static int count, message;
static atomic_int is_sent;

static void *work(void *argument)
{
	for (int i = 0; i < 4; i++) {
		spin_lock(&guard);
		count++;
		spin_unlock(&guard);
	}
	if (!argument) {
		message = 42;
		BEFORE(&message);
		atomic_store_explicit(&is_sent, 1, memory_order_relaxed);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	while (!atomic_load_explicit(&is_sent, memory_order_relaxed))
		;
	AFTER(&message);
	printf("message %d\n", message);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("count %d\n", count);
	return 0;
}
