/* SPDX-License-Identifier: Apache-2.0 */
// A timer interrupts threads that lock and allocate; its handler posts a semaphore.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t ticked;
static long counter;
static void on_tick(int n) { (void)n; sem_post(&ticked); }
static void *work(void *a)
{
	for (int i = 0; i < 100000; i++) {
		pthread_mutex_lock(&m);
		counter++;
		pthread_mutex_unlock(&m);
		free(malloc((size_t)(i % 100)));
	}
	return a;
}
int main(void)
{
	pthread_t t[2];
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	sem_init(&ticked, 0, 0);
	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	sem_wait(&ticked);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld\n", counter);
	return 0;
}
