/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads that lock two mutexes in opposite order; each knows its own number and has a variable of its own. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int mine = 7;
static int total;
int g = 4711;		/* a name that the runtime uses too */

static void *work(void *argument)
{
	int number = (int)(long)argument;
	mine = number * 100;
	pthread_mutex_lock(number == 1 ? &first : &second);
	total += number;
	pthread_mutex_lock(number == 1 ? &second : &first);	/* LINE both */
	total += mine;
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("total %d\n", total);
}
