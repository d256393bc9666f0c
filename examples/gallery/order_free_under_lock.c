/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: use-after-free
 *
 * Use and free are both made under the lock, so there is no race, but nothing says which comes first.
 * Fixed: who frees leaves a mark.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *session;

static void *use(void *unused)
{
	pthread_mutex_lock(&lock);
#ifdef FIXED
	if (session)
#endif
		*session = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *drop(void *unused)
{
	pthread_mutex_lock(&lock);
	free(session);
#ifdef FIXED
	session = NULL;
#endif
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	session = malloc(sizeof(*session));
	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, drop, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
