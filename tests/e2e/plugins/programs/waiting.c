/* A plugin whose constructor waits for a thread of its own, which needs the dynamic linker: a deadlock. */
#include <dlfcn.h>
#include <pthread.h>

static void *ask(void *unused)
{
	(void)unused;
	return dlsym(RTLD_DEFAULT, "main");
}

__attribute__((constructor)) static void wait_for_thread(void)
{
	pthread_t t;
	pthread_create(&t, NULL, ask, NULL);
	pthread_join(t, NULL);
}
