/* SPDX-License-Identifier: Apache-2.0 */
/* One thread frees what the other one reads: a use after free in one order, a race in the other. */
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *reader(void *arg)
{
	(void)arg;
	return *block ? arg : NULL;
}

int main(void)
{
	pthread_t t;
	block = calloc(1, sizeof(*block));
	pthread_create(&t, NULL, reader, NULL);
	free(block);
	pthread_join(t, NULL);
	return 0;
}
