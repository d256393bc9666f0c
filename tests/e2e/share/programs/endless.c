/* SPDX-License-Identifier: Apache-2.0 */
// Executions that have no end (without an argument), or come to it late: after so many steps an assertion does not hold.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int steps;

static void *go_on(void *limit)
{
	for (int i = 0; !limit || i < *(int *)limit; i++)
		atomic_fetch_add(&steps, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int limit = argc > 1 ? atoi(argv[1]) : 0;
	pthread_create(&thread, NULL, go_on, argc > 1 ? &limit : NULL);
	pthread_join(thread, NULL);
	assert(steps != limit);
	return 0;
}
