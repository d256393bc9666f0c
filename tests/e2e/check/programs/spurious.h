/* SPDX-License-Identifier: Apache-2.0 */
// One thread waits for what the other tells it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *consume(void *unused)
{
	pthread_mutex_lock(&lock);
	WAIT_WHILE (!is_ready)
		pthread_cond_wait(&changed, &lock);
	assert(is_ready);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t consumer;
	pthread_create(&consumer, NULL, consume, NULL);
	pthread_mutex_lock(&lock);
	is_ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(consumer, NULL);
	return 0;
}
