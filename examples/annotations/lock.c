/* SPDX-License-Identifier: Apache-2.0 */
/* A lock made of an atomic variable, with annotations.  Two threads take two of them in opposite orders. */
#include <pthread.h>
#include <stdatomic.h>

#include "heddle/annotations.h"

struct my_lock {
	atomic_int taken;
};

static struct my_lock a, b;

static void my_lock(struct my_lock *l)
{
	heddle_lock_request(l);		/* from here on the thread waits */
	while (atomic_exchange(&l->taken, 1))
		;
	heddle_lock_acquired(l);	/* directly after it has the lock */
}

static void my_unlock(struct my_lock *l)
{
	heddle_lock_release(l);		/* directly before it releases the lock */
	atomic_store(&l->taken, 0);
}

static void *other(void *unused)
{
	my_lock(&b);
	my_lock(&a);
	my_unlock(&a);
	my_unlock(&b);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	my_lock(&a);
	my_lock(&b);
	my_unlock(&b);
	my_unlock(&a);
	pthread_join(thread, NULL);
	return 0;
}
