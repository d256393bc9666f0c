/* SPDX-License-Identifier: Apache-2.0 */
/* Two resources guarded by semaphores.  Wrong: they are taken in opposite orders. */
#include <semaphore.h>
#include "threads.h"

static sem_t resources[2];

static void *use(void *argument)
{
#ifdef WRONG
	long first = (long)argument;
#else
	long first = 0;
	(void)argument;
#endif
	sem_wait(&resources[first]);
	sem_wait(&resources[1 - first]);
	sem_post(&resources[1 - first]);
	sem_post(&resources[first]);
	return NULL;
}

int main(void)
{
	sem_init(&resources[0], 0, 1);
	sem_init(&resources[1], 0, 1);
	start(use, 0);
	start(use, 1);
	finish();
	return 0;
}
