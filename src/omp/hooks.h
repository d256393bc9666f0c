/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the library shows itself to the runtimes of heddle.
 *
 * The library is compiled without hooks.  It uses pthread functions, which both runtimes know, and
 * calls the hooks of atomic accesses itself.  So one archive serves both, and the order of events
 * is exactly that of OpenMP:
 *
 *   - Shared state of the library is changed under a raw lock, which no runtime sees, directly
 *     after omp_step().  That is a relaxed read-modify-write.  It orders no accesses of the
 *     program, but a search knows by it that the operations on the state depend on each other.
 *     Under control a thread is interrupted only at hooks, so the step and the change are one.
 *     A word of omp_step() is changed in no other way.
 *   - omp_publish() and omp_receive() are the release and the acquire that a construct implies.
 *   - A thread waits in a semaphore, a mutex or a barrier of pthreads.
 *
 * No hook and no function of another library is called while a raw lock is held.
 */
#ifndef HEDDLE_OMP_HOOKS_H
#define HEDDLE_OMP_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OMP_EXPORT __attribute__((visibility("default")))

uint32_t __tsan_atomic32_fetch_add(volatile uint32_t *word, uint32_t value, int order);
uint32_t __tsan_atomic32_load(const volatile uint32_t *word, int order);
uint8_t __tsan_atomic8_load(const volatile uint8_t *word, int order);
void __tsan_atomic8_store(volatile uint8_t *word, uint8_t value, int order);
void __tsan_write1(void *address);
void __tsan_write8(void *address);

static inline void omp_step(uint32_t *word)
{
	__tsan_atomic32_fetch_add(word, 1, __ATOMIC_RELAXED);
}

static inline void omp_publish(uint32_t *word)
{
	__tsan_atomic32_fetch_add(word, 1, __ATOMIC_RELEASE);
}

static inline void omp_receive(const uint32_t *word)
{
	__tsan_atomic32_load(word, __ATOMIC_ACQUIRE);
}

/* Results that the program reads through a pointer. */
static inline void omp_write_long(void *to, uint64_t value)
{
	__tsan_write8(to);
	*(volatile uint64_t *)to = value;
}

/* A lock of one word; 0 is free, 2 is taken with threads that may wait. */
struct raw_lock {
	uint32_t word;
};

void heddle_omp_raw_wait(struct raw_lock *lock);
void heddle_omp_raw_wake(struct raw_lock *lock);

static inline void raw_lock(struct raw_lock *lock)
{
	uint32_t free = 0;
	if (!__atomic_compare_exchange_n(&lock->word, &free, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		heddle_omp_raw_wait(lock);
}

static inline void raw_unlock(struct raw_lock *lock)
{
	if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2)
		heddle_omp_raw_wake(lock);
}

#endif
