/* SPDX-License-Identifier: Apache-2.0 */
/* DEPENDS: what
 * Both updates are made under a lock, but for reading: it does not keep one out of the other. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int count;

static void *add(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_rwlock_rdlock(&lock);
		int before = atomic_load(&count);
		atomic_store(&count, before + 1);
		pthread_rwlock_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
