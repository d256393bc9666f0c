/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlines.  Threads that do the same, so many as the definition says:
 *
 *   WAITS      wait for a condition that nobody signals.  To run out of time is noticed by nobody, so the orders of the
 *              critical sections are the classes, two of each thread: (2n)!/2^n
 *   SIGNALLED  and one thread signals, without the mutex.  In each of the 6 orders of two waits it comes before both; or
 *              between them, after the first has run out of time or to wake it; or after both, each of which has run out
 *              of time or is woken or runs out later, if its second critical section comes after the signal
 *   BROADCAST  and one thread wakes all, likewise
 *   LOCKS      ask for a lock: k of them get it in some order, each other one runs out of time while one of those has it
 *   POSTED     wait for a semaphore, which is posted once: nobody gets it, all have run out of time before; or one does,
 *              and each other one ran out of time before the post or after that one got it: 1 + n * 2^(n-1)
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec past;

#if defined(WAITS) || defined(SIGNALLED) || defined(BROADCAST)
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static void *body(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cond_timedwait(&cond, &lock, &past);
	pthread_mutex_unlock(&lock);
	return unused;
}
#endif

#if defined(WAITS)
enum { THREADS = WAITS };
static void act(void) {}
#elif defined(SIGNALLED)
enum { THREADS = SIGNALLED };
static void act(void) { pthread_cond_signal(&cond); }
#elif defined(BROADCAST)
enum { THREADS = BROADCAST };
static void act(void) { pthread_cond_broadcast(&cond); }
#elif defined(LOCKS)
enum { THREADS = LOCKS };
static void act(void) {}
static void *body(void *unused)
{
	if (!pthread_mutex_timedlock(&lock, &past))
		pthread_mutex_unlock(&lock);
	return unused;
}
#else
enum { THREADS = POSTED };
static sem_t semaphore;
static void act(void) { sem_post(&semaphore); }
static void *body(void *unused)
{
	sem_timedwait(&semaphore, &past);
	return unused;
}
#endif

int main(void)
{
	pthread_t threads[THREADS];
#ifdef POSTED
	sem_init(&semaphore, 0, 0);
#endif
	for (int k = 0; k < THREADS; k++)
		pthread_create(&threads[k], NULL, body, NULL);
	act();
	for (int k = 0; k < THREADS; k++)
		pthread_join(threads[k], NULL);
	return 0;
}
