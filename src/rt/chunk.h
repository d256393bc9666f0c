/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain accesses on their way into chunks (wire/accesses.h): the sites, and which bytes of memory the reader of the
 * events knows.  The knowledge is a bit for each byte, eight of them in a byte at a fixed place, so that the common
 * question costs one load.  Freed memory is never known, which makes the same load the check for use after free.
 *
 * Chunks must not depend on where the program was loaded.  So the bits are found by canonical address: the common
 * question asks with the real one, and gets a yes only where both are the same.  And the bytes of a pointer into a
 * module never count as known, since what was told is not always what is there.
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

#define SITE_KEY(pc, kind, size) ((pc) | (uint64_t)(kind) << 48 | (uint64_t)(size) << 56)

/*
 * The site that the last access of a key had: nearly always the one that is looked for.  It is found by the key and not as
 * successor of the site before, so that the processor need not know the one to begin with the other.
 */
struct site_hint {
	uint64_t key;
	struct site *site;
};
#define SITE_HINTS 4096
extern struct site_hint site_hints[SITE_HINTS] __attribute__((visibility("hidden")));

static inline struct site_hint *site_hint(uint64_t key)
{
	return &site_hints[(key ^ key >> 12 ^ key >> 48) & (SITE_HINTS - 1)];
}

#define KNOWN_BASE 0x600000000000ull
static inline uint8_t *known_byte(uintptr_t p) { return (uint8_t *)(KNOWN_BASE + (p >> 3)); }

/* Are the bytes at this canonical address known?  Never if they cross a multiple of 8: few accesses do. */
static inline bool is_known(uintptr_t p, unsigned size)
{
	unsigned mask = ((1u << size) - 1) << (p & 7);
	return (*known_byte(p) & mask) == mask;
}

static inline bool may_be_in_module(uint64_t v) { return v - g.modules_low < g.modules_size; }

/*
 * The running thread has made an access of 1, 2, 4 or 8 bytes; `known`: the reader knows what memory held, which is
 * `memory` (for a read: holds, which is the value).
 */
void chunk_access(struct site *s, uint64_t address, uint64_t value, bool known, uint64_t memory, unsigned flags);
struct site *chunk_site(uint64_t key);	/* NULL: there are too many */
void chunk_stack(uint32_t id);

/* The site of an access if both site and address are the expected ones, and the flags. */
static inline struct site *chunk_expects(uint64_t key, uint64_t address, unsigned flags)
{
	const struct site_hint *hint = site_hint(key);
	struct site *s = hint->site;
	return likely(hint->key == key && g.site->model.next == s->id &&
		      access_expected_address(&s->model, &g.seen) == address && s->model.flags == flags) ? s : NULL;
}

static inline void chunk_went_on(struct site *s, uint64_t address)
{
	g.expected++;
	g.site = s;
	s->model.address = g.seen.address = address;
}

#endif
