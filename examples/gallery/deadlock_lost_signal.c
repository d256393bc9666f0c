/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: deadlock
 *
 * The consumer waits without looking whether there is something already: a signal that comes first is
 * lost, and it sleeps for ever.  Fixed: it looks first.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *unused)
{
	pthread_mutex_lock(&lock);
#ifdef FIXED
	while (!items)
#endif
		pthread_cond_wait(&more, &lock);
	items--;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *produce(void *unused)
{
	pthread_mutex_lock(&lock);
	items++;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, consume, NULL);
	pthread_create(&b, NULL, produce, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
