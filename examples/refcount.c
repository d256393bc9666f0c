/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture with a reference count.  The count is atomic, so releasing is safe.  Acquiring is not: between
 * finding the picture and counting the new reference, the last holder may release it, and the picture is
 * freed: once too early, or twice.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct picture {
	atomic_int references;
	int width, height;
};

static struct picture *_Atomic shown;

static void picture_release(struct picture *p)
{
	if (atomic_fetch_sub(&p->references, 1) == 1)
		free(p);
}

static struct picture *picture_acquire(void)
{
	struct picture *p = shown;
	if (p)
		atomic_fetch_add(&p->references, 1);
	return p;
}

static void *painter(void *unused)
{
	struct picture *p = picture_acquire();
	if (p) {
		p->width *= 2;
		picture_release(p);
	}
	return unused;
}

int main(void)
{
	struct picture *p = malloc(sizeof(*p));
	*p = (struct picture){ 1, 640, 480 };
	shown = p;
	pthread_t first, second;
	pthread_create(&first, NULL, painter, NULL);
	pthread_create(&second, NULL, painter, NULL);
	shown = NULL;
	picture_release(p);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
