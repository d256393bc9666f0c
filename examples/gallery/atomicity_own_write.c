/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: atomicity
 *
 * The state is set and then read back, and somebody else may have set it meanwhile.  Fixed: in one
 * critical section.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state;

static void *open_door(void *unused)
{
	pthread_mutex_lock(&lock);
	state = 1;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	assert(state == 1);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *close_door(void *unused)
{
	pthread_mutex_lock(&lock);
	state = 2;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, open_door, NULL);
	pthread_create(&b, NULL, close_door, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
