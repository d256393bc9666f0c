/* SPDX-License-Identifier: Apache-2.0 */
/* Prints lines that depend on the schedule, and one more if it writes to a terminal. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *work(void *arg)
{
	printf("line of %s\n", (char *)arg);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, "the thread");
	work("main");
	pthread_join(t, NULL);
	if (isatty(1))
		printf("on a terminal\n");
	return 0;
}
