/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements are printed by another thread; wrong: one too many, of an array that grew and was not filled. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WRONG
#define SHOWN 5
#else
#define SHOWN 4
#endif

static int *values;

static void *show(void *unused)
{
	long sum = 0;
	for (int i = 0; i < SHOWN; i++)
		sum += values[i];
	printf("%ld\n", sum);
	return unused;
}

int main(void)
{
	pthread_t t;
	values = malloc(2 * sizeof(*values));
	values[0] = values[1] = 1;
	values = realloc(values, 100 * sizeof(*values));
	memset(values + 2, 0, 2 * sizeof(*values));
	pthread_create(&t, NULL, show, NULL);
	pthread_join(t, NULL);
	int *zero = calloc(4, sizeof(*zero));
	int is_zero = !zero[3];
	free(zero);
	free(values);
	return !is_zero;
}
