/* SPDX-License-Identifier: Apache-2.0 */
/* Hash map from 64-bit keys to 64-bit values, open addressing.  The zero state is the empty map. */
#ifndef HEDDLE_MAP_H
#define HEDDLE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	uint64_t value;
	bool used;
};

struct map {
	struct map_slot *slots;
	size_t cap; /* power of two or 0 */
	size_t len;
};

/* Address of the value, or NULL.  Valid until the next map_put of a new key. */
uint64_t *map_get(const struct map *m, uint64_t key);
/* Address of the value for key, inserted as 0 if absent; *is_new (may be NULL) says whether it was.
 */
uint64_t *map_put(struct map *m, uint64_t key, bool *is_new);
void map_clear(struct map *m);
void map_release(struct map *m);

#endif
