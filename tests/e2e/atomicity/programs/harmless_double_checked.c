/* SPDX-License-Identifier: Apache-2.0 */
/* Double-checked locking: the second check, under the lock, decides. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int object;
static _Atomic(int *) instance;

static void *get(void *unused)
{
	if (!atomic_load(&instance)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load(&instance)) {
			object = 7;
			atomic_store(&instance, &object);
		}
		pthread_mutex_unlock(&lock);
	}
	return *atomic_load(&instance) == 7 ? unused : &object;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, get, NULL);
	pthread_create(&b, NULL, get, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
