/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: deadlock
 *
 * Two semaphores of one token each are taken in opposite orders.  Fixed: in the same order.
 */
#include <pthread.h>
#include <stddef.h>
#include <semaphore.h>

static sem_t disk, tape;

static void copy(sem_t *from, sem_t *to)
{
	sem_wait(from);
	sem_wait(to);
	sem_post(to);
	sem_post(from);
}

static void *backup(void *unused)
{
	copy(&disk, &tape);
	return unused;
}

static void *restore(void *unused)
{
#ifdef FIXED
	copy(&disk, &tape);
#else
	copy(&tape, &disk);
#endif
	return unused;
}

int main(void)
{
	pthread_t a, b;
	sem_init(&disk, 0, 1);
	sem_init(&tape, 0, 1);
	pthread_create(&a, NULL, backup, NULL);
	pthread_create(&b, NULL, restore, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
