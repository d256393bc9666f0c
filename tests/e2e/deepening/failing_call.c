/* SPDX-License-Identifier: Apache-2.0 */
// Whether a function of libc fails because its memory was freed is up to other threads.  USE says which function it is.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *volatile block;

static void *use(void *unused)
{
	char *b = block, room[8] = "";
	if (b)
		USE;
	return unused;
}

static void *make(void *unused)
{
	block = calloc(1, 8);
	write(1, "m", 1);
	return unused;
}

static void *drop(void *unused)
{
	free(block);
	write(1, "d", 1);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, use, NULL);
	pthread_create(&t, NULL, make, NULL);
	pthread_create(&t, NULL, drop, NULL);
	exit(0);
}
