/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A change of identity while there are several threads.
 *
 * trace: T[12] hidden:identity .* = 1
 */
#define _GNU_SOURCE
#include <assert.h>
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int changes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	assert(!setregid(getgid(), getegid()) && !setresuid(getuid(), geteuid(), geteuid()));
	changes++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, change, NULL);
	assert(!setuid(geteuid()) && !setegid(getegid()) && setuid((uid_t)-1) == -1);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", changes);
	return 0;
}
