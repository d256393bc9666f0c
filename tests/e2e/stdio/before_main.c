/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is there before main: handlers that a constructor registers, more than fit into libc's own memory, and
 * a large heap; and a destructor, and threads.  STOPS: the third handler ends the process, so that libc's list
 * of the others is left as it is.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int shared, handled;

static void handler(int status, void *number)
{
	(void)status;
	putchar('A' + (int)(long)number);
#ifdef STOPS
	if (++handled == 3) {
		fflush(stdout);
		_exit(0);
	}
#endif
}

__attribute__((constructor)) static void begin(void)
{
	for (long i = 0; i < 40; i++)
		on_exit(handler, (void *)i);
	for (int i = 0; i < 5; i++)
		if (!malloc(100000))
			abort();
}

__attribute__((destructor)) static void end(void)
{
	fputs("destructor", stdout);
}

static void *child(void *unused)
{
	shared++;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, child, NULL);
	shared++;
	pthread_join(t, NULL);
	return 0;
}
