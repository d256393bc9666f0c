/* SPDX-License-Identifier: Apache-2.0 */
/* The old value is only printed; what is written does not depend on it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int mode;

static void change(int wanted)
{
	pthread_mutex_lock(&lock);
	int old = mode;
	pthread_mutex_unlock(&lock);
	printf("%d\n", old);
	pthread_mutex_lock(&lock);
	mode = wanted;
	pthread_mutex_unlock(&lock);
}

static void *on(void *unused)
{
	change(5);
	return unused;
}

static void *off(void *unused)
{
	change(9);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, on, NULL);
	pthread_create(&b, NULL, off, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
