/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs here have in common: C11 and pthreads only, so that every checker of C programs can
 * read them.  Shared variables are relaxed atomics, which a checker explores like plain ones and does not
 * report as races.
 */
#ifndef BENCH_PEERS_THREADS_H
#define BENCH_PEERS_THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SHARED static _Atomic int
#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define SET(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
#define NUMBER(argument) ((int)(intptr_t)(argument))

#ifndef THREADS
#define THREADS 2
#endif

static pthread_t threads[32];

static inline void start(int i, void *(*function)(void *))
{
	pthread_create(&threads[i], NULL, function, (void *)(intptr_t)i);
}

static inline void start_all(int count, void *(*function)(void *))
{
	for (int i = 0; i < count; i++)
		start(i, function);
}

static inline void join_all(int count)
{
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

#endif
