/*
 * Threads that exist before a plugin with thread variables is opened: each has its own, with their first value.
 */
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int (*step)(void);

static void *work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (!step)
		pthread_cond_wait(&opened, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 5; i < 8; i++)
		assert(step() == i);
	return NULL;
}

int main(int argc, char **argv)
{
	(void)argc;
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	void *plugin = dlopen(argv[1], RTLD_NOW);
	assert(plugin);
	pthread_mutex_lock(&lock);
	step = (int (*)(void))dlsym(plugin, "plugin_step");
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&lock);
	assert(step() == 5);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("done\n");
	return 0;
}
