/* Barriers between phases, in which each thread reads what the others wrote in the one before; a rwlock, once, thread-local
   variables, a recursive mutex, thread-specific data.  The output is the same in every schedule. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
enum { THREADS = 3, PHASES = 4 };
static long cell[PHASES + 1][THREADS];
static pthread_barrier_t barrier;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t deep;
static pthread_key_t key;
static long shared, copy, serial, begun;
static _Thread_local long own = 5;
static void begin(void) { begun++; }
static long down(int n) { pthread_mutex_lock(&deep); long r = n ? 1 + down(n - 1) : 0; pthread_mutex_unlock(&deep); return r; }
static void *phases(void *arg)
{
	long me = (long)arg;
	pthread_once(&once, begin);
	pthread_setspecific(key, &cell[0][me]);
	for (int p = 0; p < PHASES; p++) {
		long sum = 0;
		for (int t = 0; t < THREADS; t++)
			sum += cell[p][t] * (t + me + 1);
		cell[p + 1][me] = sum + own++;
		pthread_rwlock_wrlock(&rw);
		shared += sum;
		sched_yield();
		copy = shared;
		pthread_rwlock_unlock(&rw);
		pthread_rwlock_rdlock(&rw);
		long before = copy;
		sched_yield();
		if (before != shared || before != copy)
			abort();
		pthread_rwlock_unlock(&rw);
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_fetch_add(&serial, 1, __ATOMIC_SEQ_CST);
		cell[0][me] += down(3);
		pthread_barrier_wait(&barrier);
	}
	if (pthread_getspecific(key) != &cell[0][me])
		abort();
	return (void *)own;
}
int main(void)
{
	pthread_t t[THREADS];
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&deep, &a);
	pthread_key_create(&key, NULL);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		cell[0][i] = i + 1;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, phases, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		void *r;
		pthread_join(t[i], &r);
		printf("%ld %ld\n", (long)r, cell[PHASES][i]);
	}
	printf("%ld %ld %ld\n", shared, serial, begun);
	return 0;
}
