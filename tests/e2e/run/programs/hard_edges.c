// expect:
// Semaphore, barrier, once, atomics and fences order what they are used for.
#include <semaphore.h>
#include <stdatomic.h>
#include "turns.h"
static sem_t s;
static pthread_barrier_t b;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int by_sem, by_barrier, by_once, by_atomic, by_fence;
static atomic_int flag, relaxed;
static void init(void) { by_once = 1; }
static void *one(void *a)
{
	by_sem = 1;
	sem_post(&s);
	by_barrier = 1;
	pthread_barrier_wait(&b);
	pthread_once(&once, init);
	by_atomic = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
	by_fence = 1;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&relaxed, 1, memory_order_relaxed);
	return a;
}
static void *two(void *a)
{
	sem_wait(&s);
	int v = by_sem;
	pthread_barrier_wait(&b);
	v += by_barrier;
	pthread_once(&once, init);
	v += by_once;
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		sched_yield();
	v += by_atomic;
	while (!atomic_load_explicit(&relaxed, memory_order_relaxed))
		sched_yield();
	atomic_thread_fence(memory_order_acquire);
	v += by_fence;
	return v == 5 ? a : NULL;
}
int main(void)
{
	sem_init(&s, 0, 0);
	pthread_barrier_init(&b, NULL, 2);
	both(one, two);
	pthread_barrier_destroy(&b);
	sem_destroy(&s);
	return 0;
}
