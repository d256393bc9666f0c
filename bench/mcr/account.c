/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads move money between two accounts, one of them without a lock. */
#include "threads.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
SHARED here = 100, there = 100;

static void *guarded(void *unused)
{
	pthread_mutex_lock(&guard);
	SET(here, GET(here) - 10);
	SET(there, GET(there) + 10);
	pthread_mutex_unlock(&guard);
	return unused;
}

static void *unguarded(void *unused)
{
	SET(there, GET(there) - 20);
	pthread_mutex_lock(&guard);
	SET(here, GET(here) + 20);
	pthread_mutex_unlock(&guard);
	return unused;
}

int main(void)
{
	run_two(guarded, unguarded);
	return GET(here) + GET(there) != 200;
}
