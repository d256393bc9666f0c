/*
 * Opens a plugin, uses it from three threads, closes it, opens it again: a new life of its variables.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "linked.h"

static int (*add)(int);

static void *work(void *argument)
{
	int n = *(int *)argument, last = 0;
	for (int i = 0; i < 3; i++)
		last = add(n);
	assert(last == 40 + 3 * n);
	return NULL;
}

static void life(const char *path, int number)
{
	void *plugin = dlopen(path, RTLD_NOW);
	if (!plugin) {
		printf("%s\n", dlerror());
		return;
	}
	add = (int (*)(int))dlsym(plugin, "counter_add");
	int (*made)(void) = (int (*)(void))dlsym(plugin, "counter_made");
	int *total = dlsym(plugin, "counter_total");
	assert(*total == 0);
	int numbers[3] = { 1, 10, 100 };
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("life %d: total %d, made %d\n", number, *total, made());
	Dl_info info;
	assert(dladdr((void *)add, &info) && info.dli_saddr == (void *)add);
	dlclose(plugin);
}

int main(int argc, char **argv)
{
	(void)argc;
	life(argv[1], 1);
	life(argv[1], 2);
	int twice = linked_twice(21);
	printf("twice %d, calls %d\n", twice, linked_calls);
	void *missing = dlopen("./no-such-plugin.so", RTLD_NOW);
	printf("missing: %s\n", missing ? "found" : "not found");
	if (!missing)
		printf("%s\n", dlerror());
	return 0;
}
