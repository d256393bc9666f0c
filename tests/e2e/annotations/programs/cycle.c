/* Two locks of the program's own and a mutex, in orders that contradict each other: a deadlock. */
#include <pthread.h>

#include "dialect.h"

static struct spin first, second;
static pthread_mutex_t third = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
	(void)unused;
	spin_lock(&first);
	pthread_mutex_lock(&third);
	spin_lock(&second);
	spin_unlock(&second);
	pthread_mutex_unlock(&third);
	spin_unlock(&first);
	return NULL;
}

static void *other(void *unused)
{
	(void)unused;
	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, other, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
