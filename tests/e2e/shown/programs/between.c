/* SPDX-License-Identifier: Apache-2.0 */
// The main thread writes between the creation of two threads; the first of them races with that.
#include <pthread.h>
#include <stddef.h>

static int shared;

static void *other(void *unused)
{
	shared++;
	return unused;
}

static void *quiet(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t first, second;
	shared = 1;
	pthread_create(&first, NULL, other, NULL);
	shared = 2;
	pthread_create(&second, NULL, quiet, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
