/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait gives up one layer of a recursive mutex: at depth 1 others get it, at depth 2 it stays locked, and
 * either way it is as deep afterwards as before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, inside, wrong;

static void wait_deeper(void)
{
	struct timespec soon;
	clock_gettime(CLOCK_REALTIME, &soon);
	pthread_mutex_lock(&lock);
	inside = 1;
	wrong += pthread_cond_timedwait(&changed, &lock, &soon) != ETIMEDOUT;
	inside = 0;
	pthread_mutex_unlock(&lock);
}

static void *player(void *argument)
{
	int own = *(int *)argument;
	pthread_mutex_lock(&lock);
	for (int round = 0; round < 3; round++) {
		while (turn % 3 != own) {
			wrong += inside;
			pthread_cond_wait(&changed, &lock);
		}
		wait_deeper();
		turn++;
		if (turn & 1)
			pthread_cond_broadcast(&changed);
		else
			for (int i = 0; i < 3; i++)
				pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(&lock);
	wrong += pthread_mutex_unlock(&lock) != EPERM;
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int numbers[3] = { 0, 1, 2 };
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, player, &numbers[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return turn == 9 && !wrong ? 0 : 1;
}
