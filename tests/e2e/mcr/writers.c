/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock that lets writers first, one writer and two readers.  That somebody waits to write keeps readers out;
 * to ask for it, and to give up, are steps of their own.  The first argument says how readers ask, the second
 * how the writer does: 0 waits, 1 tries, 2 waits with a deadline.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_rwlock_t lock;
static int how_to_read, how_to_write, results[3];

static struct timespec deadline(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	return t;
}

static void *reads(void *result)
{
	struct timespec until = deadline();
	int error = how_to_read == 0 ? pthread_rwlock_rdlock(&lock) :
		    how_to_read == 1 ? pthread_rwlock_tryrdlock(&lock) :
				       pthread_rwlock_timedrdlock(&lock, &until);
	*(int *)result = error;
	if (!error)
		pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *writes(void *result)
{
	struct timespec until = deadline();
	int error = how_to_write ? pthread_rwlock_timedwrlock(&lock, &until) : pthread_rwlock_wrlock(&lock);
	*(int *)result = error;
	if (!error)
		pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_rwlockattr_t first;
	pthread_t threads[3];
	how_to_read = argc > 1 ? atoi(argv[1]) : 0;
	how_to_write = argc > 2 ? atoi(argv[2]) : 0;
	pthread_rwlockattr_init(&first);
	pthread_rwlockattr_setkind_np(&first, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&lock, &first);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, i == 1 ? writes : reads, &results[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", results[0], results[1], results[2]);
	return 0;
}
