/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of bytes that were never written; see unwritten.h. */
#include "report/unwritten.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "wire/wire.h"

#define PAGE 4096ull

static bool is_heap(uint64_t address)
{
	return address - ARENA_HEAP < ARENA_SLOTS * ARENA_HEAP_PART;
}

/* The bits of a page; NULL: everything there is written. */
static uint64_t *page_of(struct unwritten *u, uint64_t address, bool is_made)
{
	uint64_t page = address / PAGE;
	uint64_t *at = is_made ? map_put(&u->pages, page, NULL) : map_get(&u->pages, page);
	if (!at || (!*at && !is_made))
		return NULL;
	if (!*at) {
		vec_push(&u->maps, mem_zero(PAGE / 64, sizeof(uint64_t)));
		*at = u->maps.len;
	}
	return u->maps.at[*at - 1];
}

static void mark(struct unwritten *u, uint64_t from, uint64_t size, bool is_unwritten)
{
	uint64_t *bits = NULL;
	for (uint64_t p = from; p < from + size; p++) {
		if (p == from || p % PAGE == 0)
			bits = page_of(u, p, is_unwritten);
		if (!bits) {
			p |= PAGE - 1;
			continue;
		}
		uint64_t bit = 1ull << (p % 64), *word = &bits[p % PAGE / 64];
		*word = is_unwritten ? *word | bit : *word & ~bit;
	}
}

/* What is unwritten of an access; from == to: nothing. */
static struct unwritten_range unwritten_part(struct unwritten *u, uint64_t from, uint64_t size)
{
	struct unwritten_range r = { 0, 0 };
	const uint64_t *bits = NULL;
	for (uint64_t p = from; p < from + size; p++) {
		if (p == from || p % PAGE == 0)
			bits = page_of(u, p, false);
		if (!bits) {
			p |= PAGE - 1;
			continue;
		}
		if (!(bits[p % PAGE / 64] >> (p % 64) & 1))
			continue;
		r.from = r.to ? r.from : p;
		r.to = p + 1;
	}
	return r;
}

static void add_range(struct unwritten_read *read, struct unwritten_range r)
{
	read->all.from = read->all.from < r.from ? read->all.from : r.from;
	read->all.to = read->all.to > r.to ? read->all.to : r.to;
	for (size_t i = 0; i < read->count; i++)
		if (read->ranges[i].from == r.from && read->ranges[i].to == r.to)
			return;
	if (read->count < UNWRITTEN_RANGES)
		read->ranges[read->count++] = r;
	else
		read->has_more = true;
}

static void take_read(struct unwritten *u, const struct event *e, const struct scene *scene)
{
	struct unwritten_range r = unwritten_part(u, e->obj, e->size);
	const struct scene_block *block = r.to ? scene_block_around(scene, r.from) : NULL;
	if (!block)
		return;
	uint64_t *at = map_put(&u->read_of, hash_mix(hash_mix(1, e->loc), block->start), NULL);
	if (!*at && u->reads.len == UNWRITTEN_READS)
		return;
	if (!*at) {
		struct unwritten_read new = { .event = *e, .block = *block, .all = r };
		new.event.data = NULL;
		new.event.data_len = 0;
		vec_push(&u->reads, new);
		*at = u->reads.len;
	}
	add_range(&u->reads.at[*at - 1], r);
}

void unwritten_follow(struct unwritten *u, const struct event *e, const struct scene *scene)
{
	if (!is_heap(e->obj))
		return;
	switch ((enum event_kind)e->kind) {
	case EV_ALLOC:
		mark(u, e->obj, e->size, !(e->flags & EVF_ZERO));
		break;
	case EV_RESIZE:
		if (e->size > e->a && scene_block_around(scene, e->obj))
			mark(u, e->obj + e->a, e->size - e->a, true);
		break;
	case EV_FREE:
		mark(u, e->obj, e->size, false);
		break;
	case EV_READ:
		take_read(u, e, scene);
		break;
	case EV_RMW:
		take_read(u, e, scene);
		if (!(e->flags & EVF_FAILED))
			mark(u, e->obj, e->size, false);
		break;
	case EV_WRITE:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
		mark(u, e->obj, e->size, false);
		break;
	case EV_FLUSH: /* its write has been marked */
#define SYNC_MEMORY(NAME, footprint, publishes, receives, verb)
#define SYNC_EVENT(NAME, footprint, publishes, receives, verb) case EV_##NAME:
#include "wire/sync.def"
		break; /* nothing that is about the content of memory */
	}
}

void unwritten_clear(struct unwritten *u)
{
	for (size_t i = 0; i < u->maps.len; i++)
		mem_free(u->maps.at[i]);
	u->maps.len = u->reads.len = 0;
	map_clear(&u->pages);
	map_clear(&u->read_of);
}

void unwritten_release(struct unwritten *u)
{
	unwritten_clear(u);
	vec_release(&u->maps);
	vec_release(&u->reads);
	map_release(&u->pages);
	map_release(&u->read_of);
}
