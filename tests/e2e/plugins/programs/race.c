/* A plugin with a bug: the block is freed by one thread while the other still uses it. */
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *use(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20; i++)
		(*block)++;
	return NULL;
}

int plugin_step(void)
{
	pthread_t t;
	block = calloc(1, sizeof(*block));
	pthread_create(&t, NULL, use, NULL);
	free(block);
	pthread_join(t, NULL);
	return 0;
}
