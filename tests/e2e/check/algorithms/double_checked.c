/* SPDX-License-Identifier: Apache-2.0 */
// Double-checked locking.  WRONG: the pointer is published before what it points to.
#include "common.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int object;
static _Atomic(int *) instance;

static void *body(void *number)
{
	(void)number;
	int *found = atomic_load_explicit(&instance, memory_order_acquire);
	if (!found) {
		pthread_mutex_lock(&lock);
		found = atomic_load_explicit(&instance, memory_order_relaxed);
		if (!found) {
#ifdef WRONG
			atomic_store_explicit(&instance, &object, memory_order_release);
			object = 42;
#else
			object = 42;
			atomic_store_explicit(&instance, &object, memory_order_release);
#endif
			found = &object;
		}
		pthread_mutex_unlock(&lock);
	}
	assert(*found == 42);
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
