/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: double-free
 *
 * Both threads may see that there is a buffer, and both free it.  Fixed: test and free are one step.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer;

static void *clean(void *unused)
{
	pthread_mutex_lock(&lock);
	char *mine = buffer;
#ifdef FIXED
	buffer = NULL;
#else
	pthread_mutex_unlock(&lock);
#endif
	if (mine)
		free(mine);
#ifndef FIXED
	pthread_mutex_lock(&lock);
	buffer = NULL;
#endif
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	buffer = malloc(16);
	pthread_create(&a, NULL, clean, NULL);
	pthread_create(&b, NULL, clean, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
