/* SPDX-License-Identifier: Apache-2.0 */
/* A loop over an array: one instruction touches several elements, and only one of them races. */
#include <pthread.h>

static int flags[4];

static void *raise_own(void *arg)
{
	(void)arg;
	flags[1] = 1;
	return NULL;
}

int main(void)
{
	pthread_t t;
	int raised = 0;
	pthread_create(&t, NULL, raise_own, NULL);
	for (int i = 0; i < 4; i++)
		raised += flags[i];
	pthread_join(t, NULL);
	return raised > 1;
}
