/* SPDX-License-Identifier: Apache-2.0 */
/* A sequence lock whose reader copies a record, which races, and tries again if it may be torn. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int sequence;
static long shared[2];

static void *writer(void *arg)
{
	long new[2] = { 1, 1 };
	atomic_fetch_add(&sequence, 1);
	memcpy(shared, new, sizeof(shared));
	atomic_fetch_add(&sequence, 1);
	return arg;
}

static void *reader(void *arg)
{
	long seen[2];
	int before;
	do {
		before = atomic_load(&sequence);
		memcpy(seen, shared, sizeof(seen));
	} while (before & 1 || atomic_load(&sequence) != before);
	printf("%ld%ld\n", seen[0], seen[1]);
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
