/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: deadlock
 *
 * Two locks are taken in opposite orders by two threads that can run at the same time.  Fixed: the
 * first one is joined before the second begins, so the orders never meet.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;

static void *forth(void *unused)
{
	pthread_mutex_lock(&a_lock);
	pthread_mutex_lock(&b_lock);
	pthread_mutex_unlock(&b_lock);
	pthread_mutex_unlock(&a_lock);
	return unused;
}

static void *back(void *unused)
{
	pthread_mutex_lock(&b_lock);
	pthread_mutex_lock(&a_lock);
	pthread_mutex_unlock(&a_lock);
	pthread_mutex_unlock(&b_lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, forth, NULL);
#ifdef FIXED
	pthread_join(a, NULL);
#endif
	pthread_create(&b, NULL, back, NULL);
#ifndef FIXED
	pthread_join(a, NULL);
#endif
	pthread_join(b, NULL);
	return 0;
}
