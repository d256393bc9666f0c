/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that comes between the first two critical sections of the other one sees a value that is gone later.  What follows is
 * long, and a search that changes the ends of executions first stays there. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int phase, total;

static void set(int to)
{
	pthread_mutex_lock(&m);
	phase = to;
	pthread_mutex_unlock(&m);
}

static void work(void)
{
	for (int i = 0; i < 25; i++) {
		pthread_mutex_lock(&m);
		total++;
		pthread_mutex_unlock(&m);
	}
}

static void *changer(void *arg)
{
	set(1);
	set(0);
	work();
	return arg;
}

static void *reader(void *arg)
{
	pthread_mutex_lock(&m);
	int seen = phase;
	pthread_mutex_unlock(&m);
	assert(seen == 0);
	work();
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, changer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
