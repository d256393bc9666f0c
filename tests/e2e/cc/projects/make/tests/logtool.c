/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdio.h>

#include "ring.h"

#define THREADS 3
#define RECORDS 20

static struct ring ring;

static void *produce(void *arg)
{
	unsigned self = (unsigned)(unsigned long)arg;
	for (unsigned i = 0; i < RECORDS; i++) {
		struct record record;
		record_set(&record, self, i, "thread %u says %u", self, i);
		ring_add(&ring, &record);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (!plugin) {
		fprintf(stderr, "logtool: %s\n", argc > 1 ? dlerror() : "no plugin given");
		return 1;
	}
	void (*transform)(struct record *) = (void (*)(struct record *))dlsym(plugin, "transform");
	static struct record all[THREADS][RECORDS];
	pthread_t threads[THREADS];
	ring_init(&ring);
	for (unsigned long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, produce, (void *)i))
			return 1;
	for (unsigned i = 0; i < THREADS * RECORDS; i++) {
		struct record record = ring_take(&ring);
		transform(&record);
		all[record.thread][record.number] = record;
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < RECORDS; k++)
			puts(all[i][k].text);
	return dlclose(plugin);
}
