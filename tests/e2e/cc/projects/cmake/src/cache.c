/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char key[CACHE_KEY];
	uint64_t value;
	bool used;
};

struct shard {
	pthread_mutex_t lock;
	struct entry slots[CACHE_SLOTS];
};

struct cache {
	struct shard shards[CACHE_SHARDS];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct entry empty;

static void prepare(void)
{
	memset(&empty, 0, sizeof(empty));
}

struct cache *cache_new(void)
{
	pthread_once(&once, prepare);
	struct cache *c = malloc(sizeof(*c));
	for (int i = 0; c && i < CACHE_SHARDS; i++) {
		pthread_mutex_init(&c->shards[i].lock, NULL);
		for (int k = 0; k < CACHE_SLOTS; k++)
			c->shards[i].slots[k] = empty;
	}
	return c;
}

static struct entry *slot_for(struct shard *s, uint64_t hash)
{
	return &s->slots[hash / CACHE_SHARDS % CACHE_SLOTS];
}

void cache_put(struct cache *c, const char *key, uint64_t value)
{
	uint64_t hash = cache_hash(key);
	struct shard *s = &c->shards[hash % CACHE_SHARDS];
	struct entry fresh = { .value = value, .used = true };
	strncpy(fresh.key, key, CACHE_KEY - 1);
	pthread_mutex_lock(&s->lock);
	*slot_for(s, hash) = fresh;
	pthread_mutex_unlock(&s->lock);
}

bool cache_get(struct cache *c, const char *key, uint64_t *value)
{
	uint64_t hash = cache_hash(key);
	struct shard *s = &c->shards[hash % CACHE_SHARDS];
	pthread_mutex_lock(&s->lock);
	const struct entry *e = slot_for(s, hash);
	bool found = e->used && !strcmp(e->key, key);
	if (found)
		*value = e->value;
	pthread_mutex_unlock(&s->lock);
	return found;
}

void cache_free(struct cache *c)
{
	for (int i = 0; i < CACHE_SHARDS; i++)
		pthread_mutex_destroy(&c->shards[i].lock);
	free(c);
}
