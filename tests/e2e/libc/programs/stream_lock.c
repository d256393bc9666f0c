/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that print line by line under flockfile: lines stay whole, and a thread that only uses printf waits
 * for them.
 *
 * trace: acquire:stream
 * trace: release:stream
 * sorted
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *parts(void *name)
{
	for (int i = 0; i < 3; i++) {
		flockfile(stdout);
		flockfile(stdout);
		printf("%s", (char *)name);
		putchar_unlocked(' ');
		funlockfile(stdout);
		printf("line %d\n", i);
		funlockfile(stdout);
	}
	return NULL;
}

static void *whole(void *name)
{
	for (int i = 0; i < 3; i++)
		printf("%s line %d\n", (char *)name, i);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, parts, "first");
	pthread_create(&t[1], NULL, parts, "second");
	pthread_create(&t[2], NULL, whole, "third");
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(!ftrylockfile(stdout));
	funlockfile(stdout);
	return 0;
}
