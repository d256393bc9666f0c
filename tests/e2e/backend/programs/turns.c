// EXPECT record: status 0
/*
 * More threads than slots, one after the other: joined and detached ones, some that leave from inside a nested call.
 * Thread-local variables and stacks begin anew each time.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS 2200	/* there are 2,048 slots */

static _Thread_local int local = 41;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int done;

static void deep(int n)
{
	volatile char room[100] = { 0 };
	room[n] = 1;
	if (n)
		deep(n - 1);
	else
		pthread_exit((void *)7);
}

static void *work(void *argument)
{
	long n = (long)argument;
	assert(local == 41);
	local = (int)n;
	pthread_mutex_lock(&lock);
	if (++done == THREADS)
		pthread_cond_signal(&all_done);
	pthread_mutex_unlock(&lock);
	if (n % 3 == 0)
		deep(20);
	assert(local == (int)n);
	return (void *)7;
}

int main(void)
{
	for (long i = 0; i < THREADS; i++) {
		pthread_t t;
		void *result;
		if (pthread_create(&t, NULL, work, (void *)i))
			abort();
		if (i % 5 == 0) {
			pthread_detach(t);
			continue;
		}
		pthread_join(t, &result);
		assert(result == (void *)7);
	}
	pthread_mutex_lock(&lock);
	while (done < THREADS)
		pthread_cond_wait(&all_done, &lock);
	pthread_mutex_unlock(&lock);
}
