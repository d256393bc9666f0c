/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection is closed on an error path that returns before it unlocks.  The thread ends with the lock,
 * and the next caller of close waits for ever; heddle reports the cause, not only the hang.
 */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_open = true;
static int closed;

static int connection_close(void)
{
	pthread_mutex_lock(&lock);
	if (!is_open)
		return -1;
	is_open = false;
	closed++;
	pthread_mutex_unlock(&lock);
	return 0;
}

static void *peer(void *unused)
{
	connection_close();
	return unused;
}

int main(void)
{
	pthread_t first, second;
	pthread_create(&first, NULL, peer, NULL);
	pthread_create(&second, NULL, peer, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return closed != 1;
}
