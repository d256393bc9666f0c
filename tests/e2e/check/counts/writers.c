/* SPDX-License-Identifier: Apache-2.0 */
// THREADS threads write one variable each with a value of its own, main reads it.
#include <pthread.h>
#include <stddef.h>

static int variable, values[THREADS];

static void *write_own(void *value)
{
	variable = *(int *)value;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int k = 0; k < THREADS; k++) {
		values[k] = k + 1;
		pthread_create(&threads[k], NULL, write_own, &values[k]);
	}
	int seen = variable;
	for (int k = 0; k < THREADS; k++)
		pthread_join(threads[k], NULL);
	return seen > THREADS;
}
