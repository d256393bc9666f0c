/* SPDX-License-Identifier: Apache-2.0 */
// A block that keeps its place when its size changes was looked at before other threads had their turns: one may free it.
// OPTIONS --outcomes
// STATUS 1
// COMPLETE true
// KIND double-free
#include <pthread.h>
#include <stdlib.h>

static char *block;

static void *release(void *arg)
{
	free(block);
	return arg;
}

int main(void)
{
	pthread_t t;
	block = malloc(100);
	pthread_create(&t, NULL, release, NULL);
	block = realloc(block, 101);
	pthread_join(t, NULL);
	return 0;
}
