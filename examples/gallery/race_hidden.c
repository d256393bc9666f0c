/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * In the observed order the lock of the first thread happens to come before that of the second, which
 * hides the race on `balance` from a detector that analyses that order alone.  Fixed: the balance is changed
 * under the lock.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance, log_lines;

static void *deposit(void *unused)
{
#ifndef FIXED
	balance += 10;
#endif
	pthread_mutex_lock(&lock);
#ifdef FIXED
	balance += 10;
#endif
	log_lines++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *interest(void *unused)
{
	pthread_mutex_lock(&lock);
	log_lines++;
#ifdef FIXED
	balance += 1;
#endif
	pthread_mutex_unlock(&lock);
#ifndef FIXED
	balance += 1;
#endif
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, deposit, NULL);
	pthread_create(&b, NULL, interest, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
