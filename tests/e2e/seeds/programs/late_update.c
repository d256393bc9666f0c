/* SPDX-License-Identifier: Apache-2.0 */
/* The same, after a thousand harmless steps of each thread. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int harmless;
static volatile int counter;

static void *count(void *unused)
{
	for (int i = 0; i < 250; i++) {
		pthread_mutex_lock(&mutex);
		harmless++;
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 250; i++)
		counter++;
	return unused;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, count, NULL);
	pthread_create(&u, NULL, count, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(counter == 500);
	return 0;
}
