/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * Each worker gets the address of the loop variable, which goes on changing.  Fixed: a variable for
 * each.
 */
#include <pthread.h>
#include <stddef.h>

#define WORKERS 2
int results[WORKERS + 1];	/* not static: what nobody can look at is optimised away */

static void *work(void *number)
{
	results[*(int *)number] = 1;
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];
#ifdef FIXED
	int numbers[WORKERS];
#endif
	for (int i = 0; i < WORKERS; i++) {
#ifdef FIXED
		numbers[i] = i;
		pthread_create(&threads[i], NULL, work, &numbers[i]);
#else
		pthread_create(&threads[i], NULL, work, &i);
#endif
	}
	for (int j = 0; j < WORKERS; j++)
		pthread_join(threads[j], NULL);
	return 0;
}
