/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cache.h"

static struct cache *cache;
static unsigned long rounds;

static void *use(void *arg)
{
	unsigned long seed = *(unsigned long *)arg;
	for (unsigned long i = 0; i < rounds; i++) {
		char key[CACHE_KEY];
		uint64_t value;
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		snprintf(key, sizeof(key), "key-%lu", seed >> 59);
		bool found = cache_get(cache, key, &value);
		stats_count(found);
		if (!found)
			cache_put(cache, key, seed);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 2, hits, misses;
	pthread_t threads[8];
	unsigned long seeds[8];
	rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;
	cache = cache_new();
	for (unsigned long i = 0; i < count && i < 8; i++) {
		seeds[i] = i;
		if (pthread_create(&threads[i], NULL, use, &seeds[i]))
			return 1;
	}
	for (unsigned long i = 0; i < count && i < 8; i++)
		pthread_join(threads[i], NULL);
	stats_read(&hits, &misses);
	printf("%lu lookups\n", hits + misses);
	cache_free(cache);
	return misses == 0;
}
