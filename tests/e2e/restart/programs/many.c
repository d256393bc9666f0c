// RESTART inplace
// More threads than a process expects at first.
#include <pthread.h>
#include <stdio.h>

static _Thread_local int own;
static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *number)
{
	own += (int)(long)number;
	pthread_mutex_lock(&lock);
	sum += own;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[20];
	for (long i = 0; i < 20; i++)
		pthread_create(&threads[i], NULL, add, (void *)i);
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", sum);
	return 0;
}
