/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: atomicity
 *
 * The handler is not NULL when it is tested, and may be when it is called.  Fixed: it is read once.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>

static int calls;
static void count(void)
{
	calls++;
}
static _Atomic(void (*)(void)) handler = count;

static void *dispatch(void *unused)
{
#ifdef FIXED
	void (*now)(void) = handler;
	if (now)
		now();
#else
	/* gcc reads the pointer by a plain load if it is called without this. */
	if (atomic_load(&handler))
		atomic_load(&handler)();
#endif
	return unused;
}

static void *disconnect(void *unused)
{
	handler = NULL;
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, dispatch, NULL);
	pthread_create(&b, NULL, disconnect, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
