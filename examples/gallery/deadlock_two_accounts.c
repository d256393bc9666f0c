/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: deadlock
 *
 * Transfers in opposite directions take the same two locks in opposite orders.  Fixed: always in the
 * same order.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t savings = PTHREAD_MUTEX_INITIALIZER, shop = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *pay(void *unused)
{
	pthread_mutex_lock(&savings);
	pthread_mutex_lock(&shop);
	moved++;
	pthread_mutex_unlock(&shop);
	pthread_mutex_unlock(&savings);
	return unused;
}

static void *refund(void *unused)
{
#ifdef FIXED
	pthread_mutex_t *first = &savings, *second = &shop;
#else
	pthread_mutex_t *first = &shop, *second = &savings;
#endif
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	moved--;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, pay, NULL);
	pthread_create(&b, NULL, refund, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
