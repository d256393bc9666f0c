/* SPDX-License-Identifier: Apache-2.0 */
/* A wait gives a recursive mutex up at once, whatever its depth, and takes it back at the same depth. */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *player(void *argument)
{
	int own = *(int *)argument;
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	for (int round = 0; round < 3; round++) {
		while (turn % 3 != own)
			pthread_cond_wait(&changed, &lock);
		turn++;
		if (turn & 1)
			pthread_cond_broadcast(&changed);
		else
			for (int i = 0; i < 3; i++)
				pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&lock);
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
	return turn == 9 ? 0 : 1;
}
