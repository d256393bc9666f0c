/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: use-after-free
 *
 * The connection is freed without waiting for the thread that still uses it.  Fixed: that thread is
 * joined first.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static void *use(void *connection)
{
	*(int *)connection = 1;
	return NULL;
}

int main(void)
{
	pthread_t user;
	int *connection = malloc(sizeof(*connection));
	pthread_create(&user, NULL, use, connection);
#ifdef FIXED
	pthread_join(user, NULL);
	free(connection);
#else
	for (volatile int i = 0; i < 100; i++)
		;
	free(connection);
	pthread_join(user, NULL);
#endif
	return 0;
}
