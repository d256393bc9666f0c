/* SPDX-License-Identifier: Apache-2.0 */
// Children of a process whose threads lock, allocate and wait all the time: each takes over what the others had, makes
// threads of its own, and ends.  With an argument the last child, and that of a process without threads, has a race.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define CHILDREN 150
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, alone = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long counter, *box;
static atomic_int over;
static int first_racy, last_racy;
static void *work(void *a)
{
	while (!over) {
		pthread_mutex_lock(&m);
		counter++;
		free(box);
		box = malloc(sizeof(*box));
		*box = counter;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&m);
	}
	return a;
}
static void *wait_for(void *a)
{
	pthread_mutex_lock(&m);
	for (long seen = counter; !over; seen = counter)
		while (counter == seen && !over)
			pthread_cond_wait(&changed, &m);
	pthread_mutex_unlock(&m);
	return a;
}
static void *locked(void *sum)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&alone);
		++*(int *)sum;
		free(malloc(50));
		pthread_mutex_unlock(&alone);
	}
	return NULL;
}
static void *first_race(void *a) { first_racy++; return a; }
static void *last_race(void *a) { last_racy++; return a; }
static void two(void *(*f)(void *), void *a)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, f, a);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
static int child(int number, void *(*race)(void *))
{
	int sum = 0, status;
	if (!fork()) {
		if (race)
			two(race, NULL);
		two(locked, &sum);
		// What the others were about, without their lock: they are not here.
		counter++;
		_exit(sum + number);
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) - number : -1000;
}
int main(int argc, char **argv)
{
	(void)argv;
	pthread_t t[3];
	int sum = child(0, argc > 1 ? first_race : NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? work : wait_for, NULL);
	for (int i = 0; i < CHILDREN; i++)
		sum += child(i, i == CHILDREN - 1 && argc > 1 ? last_race : NULL);
	over = 1;
	pthread_mutex_lock(&m);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	free(box);
	printf("%d\n", sum);
	return 0;
}
