/* A plugin with state: constructor and destructor, a lock of its own, variables of every storage class. */
#include <pthread.h>
#include <stdio.h>

int counter_total;			/* guarded by lock */
static int made_by_constructor;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Thread_local int counter_mine = 40;	/* comes from the dynamic linker when a thread first uses it */

__attribute__((constructor)) static void counter_begin(void)
{
	made_by_constructor = 7;
	printf("counter begins\n");
}

__attribute__((destructor)) static void counter_end(void)
{
	printf("counter ends with %d\n", counter_total);
}

int counter_add(int n)
{
	counter_mine += n;
	pthread_mutex_lock(&lock);
	counter_total += n;
	pthread_mutex_unlock(&lock);
	return counter_mine;
}

int counter_made(void)
{
	return made_by_constructor;
}
