/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: atomicity
 *
 * The balance is looked at in one critical section and changed in another one.  Fixed: in one.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static void *withdraw(void *unused)
{
	pthread_mutex_lock(&lock);
	int enough = balance >= 10;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (enough)
		balance -= 10;
	assert(balance >= 0);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, withdraw, NULL);
	pthread_create(&b, NULL, withdraw, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
