/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two windows of a box office sell the last seat.  Each access to `seats` is made under the lock, but the
 * look at it and the sale are two critical sections: both windows may see one seat left, and sell it twice.
 * The counter of customers has no lock at all.  With -DFIXED both are right.  `make demo` shows this program.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t office = PTHREAD_MUTEX_INITIALIZER;
static int seats = 1;
static int customers;

#ifdef FIXED
static bool sell(void)
{
	pthread_mutex_lock(&office);
	customers++;
	bool has_seat = seats > 0;
	if (has_seat)
		seats--;
	pthread_mutex_unlock(&office);
	return has_seat;
}
#else
static bool has_seat(void)
{
	pthread_mutex_lock(&office);
	bool left = seats > 0;
	pthread_mutex_unlock(&office);
	return left;
}

static bool sell(void)
{
	customers++;
	if (!has_seat())
		return false;
	pthread_mutex_lock(&office);
	seats--;
	pthread_mutex_unlock(&office);
	return true;
}
#endif

static void *window(void *unused)
{
	sell();
	return unused;
}

int main(void)
{
	pthread_t left, right;
	pthread_create(&left, NULL, window, NULL);
	pthread_create(&right, NULL, window, NULL);
	pthread_join(left, NULL);
	pthread_join(right, NULL);
	assert(seats >= 0);
	printf("%d customers, %d seats left\n", customers, seats);
	return 0;
}
