/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: atomicity
 *
 * Whether the queue is empty is asked in one critical section, the element taken in another.  Fixed:
 * one section.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int elements[4] = { 11 }, count = 1;

static void *take(void *unused)
{
	pthread_mutex_lock(&lock);
	int is_empty = count == 0;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
#endif
	if (!is_empty) {
#ifndef FIXED
		pthread_mutex_lock(&lock);
#endif
		assert(count > 0);
		count--;
		elements[count] = 0;
#ifndef FIXED
		pthread_mutex_unlock(&lock);
#endif
	}
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, take, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
