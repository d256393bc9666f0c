/* SPDX-License-Identifier: Apache-2.0 */
/* Double-checked locking.  Wrong: the pointer is a plain variable. */
#include <stdatomic.h>
#include "threads.h"

struct config {
	int level;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef WRONG
static struct config *instance;
#define get() instance
#define set(p) (instance = (p))
#else
static struct config *_Atomic instance;
#define get() atomic_load_explicit(&instance, memory_order_acquire)
#define set(p) atomic_store_explicit(&instance, (p), memory_order_release)
#endif

static void *use(void *unused)
{
	(void)unused;
	struct config *c = get();
	if (!c) {
		pthread_mutex_lock(&lock);
		c = get();
		if (!c) {
			c = malloc(sizeof *c);
			c->level = 3;
			set(c);
		}
		pthread_mutex_unlock(&lock);
	}
	assert(c->level == 3);
	return NULL;
}

int main(void)
{
	start(use, 0);
	start(use, 0);
	finish();
	free(get());
	return 0;
}
