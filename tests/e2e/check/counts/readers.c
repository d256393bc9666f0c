/* SPDX-License-Identifier: Apache-2.0 */
// THREADS threads read a variable, which main writes once.
#include <pthread.h>
#include <stddef.h>

static int variable;

static void *look(void *unused)
{
	return variable ? NULL : unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int k = 0; k < THREADS; k++)
		pthread_create(&threads[k], NULL, look, NULL);
	variable = 1;
	for (int k = 0; k < THREADS; k++)
		pthread_join(threads[k], NULL);
	return 0;
}
