/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences in loops that wait: LOOP waits for two variables, SEQLOCK is a sequence lock with one writer and one
 * reader.  CONSUME publishes by a fence with memory_order_consume, which is an acquire fence.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifndef ORDER
#define ORDER memory_order_acquire
#endif
#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)

static atomic_int first, second, sequence;
static int plain;

#ifdef LOOP
static void *writer(void *unused)
{
	STORE(first, 1);
	STORE(second, 1);
	return unused;
}

static void *reader(void *unused)
{
	while (!(LOAD(first) && LOAD(second)))
		atomic_thread_fence(ORDER);
	return unused;
}
#elif defined SEQLOCK
static void *writer(void *unused)
{
	atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	STORE(first, 1);
	STORE(second, 1);
	atomic_store_explicit(&sequence, 2, memory_order_release);
	return unused;
}

static void *reader(void *unused)
{
	int at, one, other;
	do {
		at = atomic_load_explicit(&sequence, memory_order_acquire);
		one = LOAD(first);
		other = LOAD(second);
		atomic_thread_fence(ORDER);
	} while (at & 1 || at != LOAD(sequence));
	assert(one == other);
	printf("%d\n", one);
	return unused;
}
#else
static void *writer(void *unused)
{
	plain = 1;
	atomic_store_explicit(&first, 1, memory_order_release);
	return unused;
}

static void *reader(void *unused)
{
	if (LOAD(first)) {
		atomic_thread_fence(memory_order_consume);
		plain = 2;
	}
	return unused;
}
#endif

int main(void)
{
	pthread_t w, r;
	(void)plain, (void)sequence, (void)second;
	pthread_create(&w, NULL, writer, NULL);
	pthread_create(&r, NULL, reader, NULL);
	pthread_join(w, NULL);
	pthread_join(r, NULL);
	return 0;
}
