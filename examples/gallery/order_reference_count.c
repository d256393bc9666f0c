/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: use-after-free
 *
 * The count of references is decremented and tested in two steps: both threads may find zero, or one
 * may free while the other still looks.  Fixed: one atomic step.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
	atomic_int references;
};

static void release(struct object *o)
{
#ifdef FIXED
	if (atomic_fetch_sub(&o->references, 1) == 1)
		free(o);
#else
	atomic_fetch_sub(&o->references, 1);
	if (atomic_load(&o->references) == 0)
		free(o);
#endif
}

static void *user(void *o)
{
	release(o);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	struct object *o = malloc(sizeof(*o));
	atomic_init(&o->references, 2);
	pthread_create(&a, NULL, user, o);
	pthread_create(&b, NULL, user, o);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
