/* SPDX-License-Identifier: Apache-2.0 */
// The lock of a stream is a lock: what was stored while it was held is in memory when it is given back.
// OPTIONS --memory=tso
// STATUS 0
// COMPLETE true
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int count;

static void *add(void *unused)
{
	flockfile(stdout);
	count++;
	funlockfile(stdout);
	while (ftrylockfile(stdout))
		;
	count++;
	funlockfile(stdout);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	pthread_join(t, NULL);
	assert(count == 4);
	return 0;
}
