/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pointer to an object that is not complete yet: BUG 1 by an atomic pointer, BUG 2 under a lock that is given up
 * too early.  Without BUG the object is complete before; with READY a flag in it says so, and the memory has a
 * content from the beginning.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct item {
	atomic_int amount, ready;
};
static _Atomic(struct item *) published;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *makes(void *unused)
{
#ifdef READY
	struct item *i = calloc(1, sizeof(*i));
	atomic_store(&published, i);
	atomic_store(&i->amount, 3);
	atomic_store(&i->ready, 1);
#else
	struct item *i = malloc(sizeof(*i));
#if BUG == 1
	atomic_store(&published, i);
#elif BUG == 2
	pthread_mutex_lock(&lock);
	atomic_store(&published, i);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	atomic_store(&i->amount, 3);
#if BUG == 2
	pthread_mutex_unlock(&lock);
#elif BUG == 0
	atomic_store(&published, i);
#endif
#endif
	return unused;
}

static void *uses(void *unused)
{
	pthread_mutex_lock(&lock);
	struct item *i = atomic_load(&published);
#ifdef READY
	while (i && !atomic_load(&i->ready)) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
	}
#endif
	int amount = i ? atomic_load(&i->amount) : 0;
	pthread_mutex_unlock(&lock);
	return amount < 0 ? &lock : unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, makes, NULL);
	pthread_create(&b, NULL, uses, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
