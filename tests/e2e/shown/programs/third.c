/* SPDX-License-Identifier: Apache-2.0 */
/* The same instruction writes the same variable three times; only the third time it holds no lock. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void touch(int value)
{
	shared = value;
}

static void *other(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&m);
	int seen = shared;
	pthread_mutex_unlock(&m);
	return seen > 3 ? arg : NULL;
}

int main(void)
{
	pthread_t t;
	touch(0);
	pthread_create(&t, NULL, other, NULL);
	for (int i = 1; i <= 3; i++) {
		if (i < 3)
			pthread_mutex_lock(&m);
		touch(i);
		if (i < 3)
			pthread_mutex_unlock(&m);
	}
	pthread_join(t, NULL);
	return 0;
}
