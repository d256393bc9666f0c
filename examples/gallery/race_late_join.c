/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * The result is taken before the worker has been joined.  Fixed: after it.
 */
#include <pthread.h>
#include <stddef.h>

int result;	/* not static: with all its values known, -O2 would not look at it */

static void *compute(void *unused)
{
	result = 6 * 7;
	return unused;
}

int main(void)
{
	pthread_t worker;
	pthread_create(&worker, NULL, compute, NULL);
#ifdef FIXED
	pthread_join(worker, NULL);
	int found = result;
#else
	int found = result;
	pthread_join(worker, NULL);
#endif
	return found != 0 && found != 42;
}
