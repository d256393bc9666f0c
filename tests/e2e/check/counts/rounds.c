/* SPDX-License-Identifier: Apache-2.0 */
// Two threads add each other's variable to their own, ROUNDS times; main looks at both without waiting for them.
#include <pthread.h>
#include <stddef.h>

static int i = 1, j = 1;

static void *add_to_i(void *unused)
{
	for (int k = 0; k < ROUNDS; k++)
		i += j;
	return unused;
}

static void *add_to_j(void *unused)
{
	for (int k = 0; k < ROUNDS; k++)
		j += i;
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add_to_i, NULL);
	pthread_create(&b, NULL, add_to_j, NULL);
	return i > 10000 || j > 10000;
}
