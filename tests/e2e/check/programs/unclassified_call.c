/* SPDX-License-Identifier: Apache-2.0 */
// A function of a library that heddle knows nothing about.
// STATUS 4
// COMPLETE false
// ASSUMES unclassified:l64a
#include <stdlib.h>
#include <pthread.h>
#include <stdio.h>

static int value;

static void *change(void *arg)
{
	value = l64a(5) != NULL;
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, change, NULL);
	pthread_join(t, NULL);
	return value > 1;
}
