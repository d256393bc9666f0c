/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every kind of synchronisation that a trace can tell, each the only thing that orders the accesses of two threads to a
 * variable of its own; so an export that loses one of them shows a race that the events do not have.  Two variables are
 * not protected at all.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <heddle/annotations.h>

static int by_mutex, by_recursive, by_spin, by_writer, by_cond, by_barrier, by_semaphore, by_once, by_atomic, by_robust,
	by_stream, by_annotation, by_own_lock, by_futex, by_join, by_nothing, by_luck;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, cond_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, robust;
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static atomic_int flag, own_lock, word;
static int tag, is_set;

static void initialise(void)
{
	by_once = 1;
}

static void lock_both_ways(void)
{
	pthread_mutex_lock(&mutex);
	by_mutex++;
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&recursive);
	pthread_mutex_lock(&recursive);
	pthread_mutex_unlock(&recursive);
	by_recursive++;
	pthread_mutex_unlock(&recursive);
	pthread_spin_lock(&spin);
	by_spin++;
	pthread_spin_unlock(&spin);
	flockfile(stdout);
	by_stream++;
	funlockfile(stdout);
	pthread_once(&once, initialise);
	by_luck += by_once;
	/* A lock of its own, which annotations tell. */
	while (atomic_exchange_explicit(&own_lock, 1, memory_order_acquire))
		sched_yield();
	heddle_lock_acquired(&own_lock);
	by_own_lock++;
	heddle_lock_release(&own_lock);
	atomic_store_explicit(&own_lock, 0, memory_order_release);
	by_nothing++;
}

static void *first(void *unused)
{
	lock_both_ways();
	pthread_mutex_lock(&robust);
	by_robust = 1;	/* and ends with it */
	pthread_rwlock_wrlock(&rwlock);
	by_writer = 1;
	pthread_rwlock_unlock(&rwlock);
	by_semaphore = 1;
	sem_post(&semaphore);
	by_barrier = 1;
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&cond_mutex);
	by_cond = is_set = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&cond_mutex);
	by_atomic = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
	by_annotation = 1;
	heddle_happens_before(&tag);
	by_futex = 1;
	atomic_store_explicit(&word, 1, memory_order_relaxed);
	syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
	by_join = 1;
	return unused;
}

static void *second(void *unused)
{
	int seen = 0;
	lock_both_ways();
	pthread_rwlock_rdlock(&rwlock);
	seen += by_writer;
	pthread_rwlock_unlock(&rwlock);
	sem_wait(&semaphore);
	seen += by_semaphore;
	pthread_barrier_wait(&barrier);
	seen += by_barrier;
	pthread_mutex_lock(&cond_mutex);
	while (!is_set)
		pthread_cond_wait(&cond, &cond_mutex);
	pthread_mutex_unlock(&cond_mutex);
	seen += by_cond;
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		sched_yield();
	seen += by_atomic;
	heddle_happens_after(&tag);
	seen += by_annotation;
	while (!atomic_load_explicit(&word, memory_order_relaxed))
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	seen += by_futex;
	if (pthread_mutex_lock(&robust) == EOWNERDEAD)
		pthread_mutex_consistent(&robust);
	seen += by_robust;
	pthread_mutex_unlock(&robust);
	return seen ? unused : NULL;
}

int main(void)
{
	pthread_mutexattr_t attribute;
	pthread_t t[2];
	pthread_mutexattr_init(&attribute);
	pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attribute);
	pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_NORMAL);
	pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attribute);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&semaphore, 0, 0);
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf("%d %d\n", by_join, by_mutex);
	return 0;
}
