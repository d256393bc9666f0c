/* SPDX-License-Identifier: Apache-2.0 */
/* Linear probing at no more than two thirds load.  Single keys are never removed, so there are no
 * tombstones. See map.h. */
#include "base/map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

static struct map_slot *probe(const struct map *m, uint64_t key)
{
	size_t i = hash_mix(0, key) & (m->cap - 1);
	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

uint64_t *map_get(const struct map *m, uint64_t key)
{
	if (!m->cap)
		return NULL;
	struct map_slot *s = probe(m, key);
	return s->used ? &s->value : NULL;
}

static void grow(struct map *m)
{
	struct map old = *m;
	m->cap = old.cap ? old.cap * 2 : 16;
	m->slots = mem_zero(m->cap, sizeof(*m->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].used)
			*probe(m, old.slots[i].key) = old.slots[i];
	mem_free(old.slots);
}

uint64_t *map_put(struct map *m, uint64_t key, bool *is_new)
{
	if ((m->len + 1) * 3 > m->cap * 2)
		grow(m);
	struct map_slot *s = probe(m, key);
	if (is_new)
		*is_new = !s->used;
	if (!s->used) {
		*s = (struct map_slot){ .key = key, .used = true };
		m->len++;
	}
	return &s->value;
}

void map_clear(struct map *m)
{
	if (m->cap)
		memset(m->slots, 0, m->cap * sizeof(*m->slots));
	m->len = 0;
}

void map_release(struct map *m)
{
	mem_free(m->slots);
	*m = (struct map){ 0 };
}
