/* SPDX-License-Identifier: Apache-2.0 */
// Opens the plugin that is given and runs its function in two threads.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	pthread_t t[2];
	void *p = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *(*work)(void *) = p ? (void *(*)(void *))dlsym(p, "plugin_work") : NULL;
	if (!work)
		return 3;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
