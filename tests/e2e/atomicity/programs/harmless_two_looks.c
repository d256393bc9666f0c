/* SPDX-License-Identifier: Apache-2.0 */
/* Two reads in two critical sections that have nothing to do with each other. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level;

static int look(void)
{
	pthread_mutex_lock(&lock);
	int now = level;
	pthread_mutex_unlock(&lock);
	return now;
}

static void *watch(void *unused)
{
	printf("%d\n", look());
	printf("%d\n", look());
	return unused;
}

static void *rise(void *unused)
{
	pthread_mutex_lock(&lock);
	level++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, watch, NULL);
	pthread_create(&b, NULL, rise, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
