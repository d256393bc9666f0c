/* SPDX-License-Identifier: Apache-2.0 */
// What the algorithms share: accesses whose order can be weakened (-DRELAXED), a critical section that two threads in
// it at once would break, and threads that are numbered.
#ifndef ALGORITHMS_COMMON_H
#define ALGORITHMS_COMMON_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef RELAXED
#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
#else
#define LOAD(x) atomic_load(&(x))
#define STORE(x, v) atomic_store(&(x), v)
#endif
#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

#ifndef THREADS
#define THREADS 2
#endif

static int in_section;

/* Plain accesses: excluding threads from each other is the algorithm's task, also for the memory model. */
static inline void critical_section(void)
{
	in_section++;
	assert(in_section == 1);
	in_section--;
}

static void *body(void *number);
static int numbers[THREADS];

static inline void run_threads(void)
{
	pthread_t threads[THREADS];
	for (int k = 0; k < THREADS; k++) {
		numbers[k] = k;
		pthread_create(&threads[k], NULL, body, &numbers[k]);
	}
	for (int k = 0; k < THREADS; k++)
		pthread_join(threads[k], NULL);
}

#endif
