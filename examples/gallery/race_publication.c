/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * A message is published by a plain flag: neither flag nor message is safe to read.  Fixed: the flag is
 * atomic, stored with release and loaded with acquire order.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>

static int message;
#ifdef FIXED
static atomic_int ready;
#else
static int ready;
#endif

static void *publish(void *unused)
{
	message = 42;
#ifdef FIXED
	atomic_store_explicit(&ready, 1, memory_order_release);
#else
	ready = 1;
#endif
	return unused;
}

static void *look(void *seen)
{
#ifdef FIXED
	if (atomic_load_explicit(&ready, memory_order_acquire))
#else
	if (ready)
#endif
		*(int *)seen = message;
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int seen = 0;
	pthread_create(&a, NULL, look, &seen);
	pthread_create(&b, NULL, publish, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return seen != 0 && seen != 42;
}
