/* SPDX-License-Identifier: Apache-2.0 */
// Store buffering with one thread-local variable in each thread, which the other one reads by a pointer: that both see nothing
// is possible under TSO and PSO only.  Then a frame of other calls, so that the thread block is used by libc, too, while the
// stores wait.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local volatile long before = 3, mine, after = 4;
static volatile long *place[2];
static pthread_barrier_t ready;
static long seen[2];

static void *work(void *number)
{
	int me = *(int *)number;
	place[me] = &mine;
	pthread_barrier_wait(&ready);
	mine = 1;
	long other = *place[!me];
	errno = 5;
	if (mine != 1 || before != 3 || after != 4 || errno != 5)
		abort();
	seen[me] = other;
	pthread_barrier_wait(&ready);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int numbers[] = { 0, 1 };
	pthread_barrier_init(&ready, NULL, 2);
	pthread_create(&thread, NULL, work, &numbers[1]);
	work(&numbers[0]);
	pthread_join(thread, NULL);
	printf("%ld %ld\n", seen[0], seen[1]);
	return 0;
}
