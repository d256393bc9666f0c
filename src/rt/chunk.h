/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain accesses on their way into chunks (wire/accesses.h): the sites, and which bytes of memory the reader of the
 * events knows.  The knowledge is a bit for each byte, eight of them in a byte at a fixed place, so that the common
 * question costs one load.  Freed memory is never known, which makes the same load the check for use after free.
 *
 * A pointer into memory that may lie elsewhere in another run is told by its canonical address; the bytes that it
 * occupies do not count as known, since what was told is not what is there.
 */
#ifndef HEDDLE_RT_CHUNK_H
#define HEDDLE_RT_CHUNK_H

#include "rt/ring.h"
#include "wire/canonical.h"

struct site {
	struct access_site model;
	uint64_t key;
	uint32_t id;
};
_Static_assert(sizeof(struct site) == 64, "one cache line");

/* The site that the last access of a key had: nearly always there, and otherwise found by chunk_site(). */
struct site_hint {
	uint64_t key;
	struct site *site;
};
#define SITE_HINTS 4096
extern struct site_hint site_hints[SITE_HINTS] __attribute__((visibility("hidden")));

#define SITE_KEY(pc, kind, size) ((pc) | (uint64_t)(kind) << 48 | (uint64_t)(size) << 56)

static inline struct site_hint *site_hint(pc_t pc)
{
	return &site_hints[(pc ^ pc >> 12) & (SITE_HINTS - 1)];
}

#define KNOWN_BASE 0x600000000000ull
static inline uint8_t *known_byte(uintptr_t p) { return (uint8_t *)(KNOWN_BASE + (p >> 3)); }

/* Are these bytes known?  Never if they cross a multiple of 8: few accesses do. */
static inline bool is_known(uintptr_t p, unsigned size)
{
	unsigned mask = ((1u << size) - 1) << (p & 7);
	return (*known_byte(p) & mask) == mask;
}

static inline bool may_be_moved(uintptr_t p) { return p - g.moved_low < g.moved_size; }

/* The running thread has made an access; `known`: the reader knows what memory holds, which is `memory`. */
void chunk_access(struct site *s, uint64_t address, uint64_t value, bool known, uint64_t memory, unsigned flags);
struct site *chunk_site(uint64_t key);	/* NULL: there are too many */
void chunk_stack(uint32_t id);

static inline bool chunk_as_expected(const struct site *s, uint64_t address, unsigned flags)
{
	return likely(g.site->model.next == s->id && access_expected_address(&s->model, &g.seen) == address &&
		      s->model.flags == flags);
}

/* A read whose value the reader knows. */
static inline __attribute__((always_inline)) void chunk_known_read(struct site *s, uint64_t address, uint64_t value,
								    unsigned size, unsigned flags)
{
	if (chunk_as_expected(s, address, flags)) {
		g.expected++;
		g.site = s;
		s->model.address = g.seen.address = address;
		access_learn_read(&g.seen, value, size);
	} else {
		chunk_access(s, address, value, true, value, flags);
	}
}

/* A write to memory that the reader knows. */
static inline __attribute__((always_inline)) void chunk_known_write(struct site *s, uint64_t address, uint64_t value,
								     uint64_t memory, unsigned size, unsigned flags)
{
	if (chunk_as_expected(s, address, flags) &&
	    likely(access_expected_value(&s->model, &g.seen, memory, size) == value)) {
		g.expected++;
		g.site = s;
		s->model.address = g.seen.address = address;
		s->model.value = value;
	} else {
		chunk_access(s, address, value, true, memory, flags);
	}
}

#endif
