/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#include "cache.h"

#define THREADS 4

static struct cache *cache;

static void *fill(void *arg)
{
	const char *name = arg;
	for (uint64_t i = 0; i < 200; i++) {
		cache_put(cache, name, i);
		uint64_t value = ~0ull;
		if (cache_get(cache, name, &value))
			assert(value < 200);
		stats_count(value == i);
	}
	return NULL;
}

int main(void)
{
	static char names[THREADS][8] = { "alpha", "beta", "gamma", "delta" };
	pthread_t threads[THREADS];
	unsigned long hits, misses;
	uint64_t value;
	cache = cache_new();
	assert(cache && !cache_get(cache, "alpha", &value));
	for (int i = 0; i < THREADS; i++)
		assert(!pthread_create(&threads[i], NULL, fill, names[i]));
	for (int i = 0; i < THREADS; i++)
		assert(!pthread_join(threads[i], NULL));
	stats_read(&hits, &misses);
	assert(hits + misses == THREADS * 200);
	cache_free(cache);
	puts("cache: all passed");
	return 0;
}
