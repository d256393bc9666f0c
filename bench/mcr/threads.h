/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads and shared variables of the programs here: accesses that the processor may reorder, and nothing
 * else. */
#ifndef BENCH_MCR_THREADS_H
#define BENCH_MCR_THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define SHARED static _Atomic int
#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define SET(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)

static inline void run_two(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t first, second;
	pthread_create(&first, NULL, a, NULL);
	pthread_create(&second, NULL, b, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
}

#endif
