// Whether a block is the one that was just freed, by this thread or another.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char *first;

static void *work(void *unused)
{
	(void)unused;
	free(first);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	first = malloc(40);
	char *large = malloc(100);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	free(large);
	char *second = malloc(40), *third = malloc(40);
	printf("%s %s\n", second == first ? "same" : "new", third == first ? "same" : "new");
	return 0;
}
