/* SPDX-License-Identifier: Apache-2.0 */
/* A semaphore hands a result over.  Wrong: it begins at one. */
#include <semaphore.h>
#include "threads.h"

static sem_t done;
static int result;

static void *compute(void *unused)
{
	(void)unused;
	result = 42;
	sem_post(&done);
	return NULL;
}

int main(void)
{
#ifdef WRONG
	sem_init(&done, 0, 1);
#else
	sem_init(&done, 0, 0);
#endif
	start(compute, 0);
	sem_wait(&done);
	int seen = result;
	finish();
	return seen == 42 ? 0 : 1;
}
