/* SPDX-License-Identifier: Apache-2.0 */
// One thread searches backwards for the last zero of an array, whose elements the others set from their neighbours.
#include <pthread.h>
#include <stddef.h>

static int array[SIZE + 1];

static void *search(void *unused)
{
	int k = SIZE;
	while (array[k] != 0)
		k--;
	return unused;
}

static void *set(void *element)
{
	int *own = element;
	*own = own[-1] + 1;
	return NULL;
}

int main(void)
{
	pthread_t threads[SIZE + 1];
	pthread_create(&threads[0], NULL, search, NULL);
	for (int k = 1; k <= SIZE; k++)
		pthread_create(&threads[k], NULL, set, &array[k]);
	for (int k = 0; k <= SIZE; k++)
		pthread_join(threads[k], NULL);
	return 0;
}
