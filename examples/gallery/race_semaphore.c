/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * A semaphore serves as a lock, but begins at 2.  Fixed: it begins at 1.
 */
#include <pthread.h>
#include <stddef.h>
#include <semaphore.h>

static sem_t slots;
static int jobs;

static void *submit(void *unused)
{
	sem_wait(&slots);
	jobs++;
	sem_post(&slots);
	return unused;
}

int main(void)
{
	pthread_t a, b;
#ifdef FIXED
	sem_init(&slots, 0, 1);
#else
	sem_init(&slots, 0, 2);
#endif
	pthread_create(&a, NULL, submit, NULL);
	pthread_create(&b, NULL, submit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return jobs > 2;
}
