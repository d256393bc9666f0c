/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits for a descriptor is cancelled there. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void cleanup(void *unused)
{
	(void)unused;
	printf("cleanup\n");
}

static void *reader(void *unused)
{
	char c;
	pthread_cleanup_push(cleanup, NULL);
	if (read(ends[0], &c, 1) < 0)
		printf("read failed\n");
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	pthread_t t;
	void *result;
	if (pipe(ends))
		return 1;
	pthread_create(&t, NULL, reader, NULL);
	usleep(1000);
	pthread_cancel(t);
	pthread_join(t, &result);
	printf("cancelled %d\n", result == PTHREAD_CANCELED);
	return 0;
}
