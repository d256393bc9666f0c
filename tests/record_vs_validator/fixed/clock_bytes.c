/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time along reads-from edges is exact to the byte: a thread that is late writes one byte, a thread that is
 * early the byte beside it.  A thread that reads the first byte must be as late as its writer.
 */
#include <pthread.h>
#include <time.h>

static volatile char bytes[8];

static void look(int times)
{
	struct timespec t;
	while (times--)
		clock_gettime(CLOCK_MONOTONIC, &t);
}

static void *late(void *unused)
{
	look(5);
	bytes[0] = 1;
	return unused;
}

static void *early(void *unused)
{
	bytes[1] = 1;
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, late, NULL);
	pthread_create(&b, NULL, early, NULL);
	for (int i = 0; i < 100 && !(bytes[0] && bytes[1]); i++)
		;
	if (bytes[0])
		look(1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
