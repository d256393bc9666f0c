/* SPDX-License-Identifier: Apache-2.0 */
/* The last user of an object frees it.  Wrong: the count drops before the lock is released. */
#include <stdatomic.h>
#include "threads.h"

static struct object {
	pthread_mutex_t lock;
	atomic_int users;
	int value;
} *object;

static void *use(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&object->lock);
	object->value++;
#ifdef WRONG
	int left = atomic_fetch_sub(&object->users, 1) - 1;
	pthread_mutex_unlock(&object->lock);
#else
	pthread_mutex_unlock(&object->lock);
	int left = atomic_fetch_sub(&object->users, 1) - 1;
#endif
	if (left == 0) {
		pthread_mutex_destroy(&object->lock);
		free(object);
	}
	return NULL;
}

int main(void)
{
	object = malloc(sizeof *object);
	pthread_mutex_init(&object->lock, NULL);
	atomic_init(&object->users, 2);
	object->value = 0;
	start(use, 0);
#ifdef WRONG
	/* The second user gives up its reference without the lock. */
	if (atomic_fetch_sub(&object->users, 1) == 1) {
		pthread_mutex_destroy(&object->lock);
		free(object);
	}
#else
	start(use, 0);
#endif
	finish();
	return 0;
}
