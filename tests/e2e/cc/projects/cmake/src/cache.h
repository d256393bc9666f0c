/* SPDX-License-Identifier: Apache-2.0 */
/* A cache from strings to numbers, divided into shards with a lock each. */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_SHARDS 4
#define CACHE_SLOTS 16
#define CACHE_KEY 24

struct cache;

struct cache *cache_new(void);
void cache_put(struct cache *c, const char *key, uint64_t value);
bool cache_get(struct cache *c, const char *key, uint64_t *value);
void cache_free(struct cache *c);
uint64_t cache_hash(const char *key);

/* Counters of the whole process. */
void stats_count(bool was_hit);
void stats_read(unsigned long *hits, unsigned long *misses);

#endif
