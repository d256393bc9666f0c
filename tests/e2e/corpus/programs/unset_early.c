/* SPDX-License-Identifier: Apache-2.0 */
/* A block is published under a lock before all of it is set, under the same lock; wrong: its reader does not wait. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int is_ready, index; } *shared;
static int table[256];

static void *publish(void *unused)
{
	pthread_mutex_lock(&lock);
	shared = malloc(sizeof(*shared));
	shared->is_ready = 0;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	shared->index = 3;
	shared->is_ready = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *use(void *unused)
{
	pthread_mutex_lock(&lock);
#ifdef WRONG
	if (shared)
#else
	if (shared && shared->is_ready)
#endif
		table[shared->index & 255]++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, publish, NULL);
	pthread_create(&t[1], NULL, use, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	free(shared);
	return 0;
}
