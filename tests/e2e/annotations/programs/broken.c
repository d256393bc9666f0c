/* A lock that does not work: it looks whether it is free and takes it, in two steps. */
#include <pthread.h>
#include <stdio.h>

#include "dialect.h"

static struct spin guard;
static int count;

static void *work(void *unused)
{
	(void)unused;
	for (int i = 0; i < 4; i++) {
		ASK(&guard);
		while (atomic_load(&guard.taken))
			;
		atomic_store(&guard.taken, 1);
		GOT(&guard);
		count++;
		spin_unlock(&guard);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("done\n");
	return 0;
}
