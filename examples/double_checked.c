/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lazy initialisation with a test outside the lock.  The pointer is published before the table behind it is
 * filled, so a thread that takes the short way may find an empty table.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct table {
	int size;
	int squares[8];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *instance;

static struct table *table_get(void)
{
	if (!instance) {
		pthread_mutex_lock(&lock);
		if (!instance) {
			instance = calloc(1, sizeof(*instance));
			for (int i = 0; i < 8; i++)
				instance->squares[i] = i * i;
			instance->size = 8;
		}
		pthread_mutex_unlock(&lock);
	}
	return instance;
}

static void *reader(void *unused)
{
	struct table *t = table_get();
	assert(t->size == 8 && t->squares[7] == 49);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(instance);
	return 0;
}
