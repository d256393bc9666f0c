/* SPDX-License-Identifier: Apache-2.0 */
/* Two locks in opposite order. */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forwards(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return unused;
}

static void *backwards(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return unused;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, forwards, NULL);
	pthread_create(&u, NULL, backwards, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
