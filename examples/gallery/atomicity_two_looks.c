/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: atomicity
 *
 * Two looks at a counter in two critical sections are expected to agree.  Fixed: one section.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int version = 1;

static void *copy(void *unused)
{
	pthread_mutex_lock(&lock);
	int before = version;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	int after = version;
	pthread_mutex_unlock(&lock);
	assert(before == after);
	return unused;
}

static void *update(void *unused)
{
	pthread_mutex_lock(&lock);
	version++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, copy, NULL);
	pthread_create(&b, NULL, update, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
