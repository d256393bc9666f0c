// RESTART inplace
// ENDS failure
// After the use of freed memory a process is not used again.
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *use(void *unused)
{
	(void)unused;
	block[0]++;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	block = malloc(sizeof(*block));
	block[0] = 0;
	pthread_create(&thread, NULL, use, NULL);
	free(block);
	pthread_join(thread, NULL);
	return 0;
}
