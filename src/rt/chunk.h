/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain accesses on their way into chunks (wire/accesses.h): the sites, and which bytes of memory
 * the reader of the events knows.  The knowledge is a bit for each byte, eight of them in a byte
 * at a fixed place, so that the common question costs one load.  Freed memory is never known,
 * which makes the same load the check for use after free.
 *
 * Chunks must not depend on where the program was loaded.  So the bits are found by canonical
 * address: the common question asks with the real one, and gets a yes only where both are the same.
 * And the bytes of a pointer into a module never count as known, since the announced value is not
 * always the value in memory.
 */
#ifndef HEDDLE_RT_CHUNK_H
#define HEDDLE_RT_CHUNK_H

#include "rt/hot.h"
#include "rt/hot_offsets.h"
#include "rt/ring.h"
#include "rt/rt.h"
#include "wire/accesses.h"
#include "wire/canonical.h"
#include "wire/path.h"
#include "wire/wire.h"

struct site {
	struct access_site model;
	pc_t pc;
	/* Where the expected address and value begin: what the model says by numbers. */
	const uint64_t *base_at, *value_at;
	uint32_t id;
	uint8_t kind, size;
	uint8_t varint_size; /* the id as it is in tokens */
	uint32_t varint;
	struct site *next_at; /* the one whose id is model.next */
	/* of the record of a chunk of one word that ends here: its second one */
	uint64_t last_word;
	/* pc, but 0 if another site has the same: of the other kind, or of another size */
	pc_t unique_pc;
} __attribute__((aligned(128)));
/* base of values that are recorded as they are */
extern const uint64_t access_nothing __attribute__((visibility("hidden")));

/*
 * Where the site is looked for that does not follow the one before as it did the last time: the
 * one that an access of this kind and size at a place near by had last.  Never NULL once control
 * has begun.
 */
enum { HINTS_OF_READS, HINTS_OF_WRITES, HINTS_OF_BRANCHES, HINTS_GROUPS };
extern struct site *site_hints[HINTS_GROUPS][4][HINTS] __attribute__((visibility("hidden")));

void chunk_init(void);
/* hooks.S finds no site at once; needed before it looks for one */
void chunk_forget_hints(void);
struct site *chunk_first_site(void); /* where each thread begins */
/* code that is loaded there next has other sites */
void chunk_forget_sites(uintptr_t low, uintptr_t high);
/* an event has shown these bytes as they are in memory */
void known_shown(uintptr_t p, size_t size);
void known_forget(uintptr_t p, size_t size); /* they have changed without an event, or ended */
uint64_t canonical_of(uint64_t address);
bool is_module_pointer(uint64_t value);
/* the same, 0 in an unknown module; its module becomes that of g.code_low */
uint64_t canonical_code(pc_t pc);
void chunk_branch(pc_t pc); /* an event EV_BRANCH */
/* in the order in which they are announced */
void canonical_add_module(uintptr_t start, uintptr_t size);
void canonical_drop_module(uintptr_t start);
void canonical_add_region(uintptr_t start, uintptr_t size);

#define KNOWN_BASE 0x600000000000ull
static inline uint8_t *known_byte(uintptr_t p)
{
	return (uint8_t *)(KNOWN_BASE + (p >> 3));
}

/* Are the bytes at this canonical address known?  Never if they cross a multiple of 8: few
 * accesses do. */
static inline bool is_known(uintptr_t p, unsigned size)
{
	unsigned mask = ((1u << size) - 1) << (p & 7);
	return (*known_byte(p) & mask) == mask;
}

/*
 * The running thread has made an access of 1, 2, 4 or 8 bytes; `known`: the reader knows what
 * memory held, which is `memory` (for a read: holds, which is the value).
 */
void chunk_access(struct site *s, uint64_t address, uint64_t value, bool known, uint64_t memory,
		  unsigned flags);
struct site *chunk_site(pc_t pc, unsigned kind, unsigned size); /* NULL: there are too many */
void chunk_stack(uint32_t id);

/* the chunk, then a record of its own */
void chunk_switch_behind(uint32_t to, unsigned why) __attribute__((cold));

/* Accesses noted so far become a record, and a switch the next one.  A chunk of one word, as
 * short turns have, is written at once. */
static inline void chunk_switch(uint32_t to, unsigned why)
{
	uint64_t bytes = (uint64_t)(g.chunk_at - chunk), run = g.chunk_events - g.chunk_in_tokens,
		 v, *w = g.out;
	if (unlikely(bytes > 7 || run >= TOKEN_RUN_LONG || !g.chunk_events ||
		     w + 7 > g.out_limit)) {
		chunk_switch_behind(to, why);
		return;
	}
	v = run ? (TOKEN_RUN | run) << 8 * bytes : 0;
	if (bytes) {
		uint64_t told;
		__builtin_memcpy(&told, chunk, 8);
		v |= told & ((1ull << 8 * bytes) - 1);
	}
	w[0] = (bytes + (run != 0)) | (uint64_t)WIRE_ACCESSES << 48;
	w[1] = g.site->last_word;
	w[2] = g.chunk_events;
	w[3] = v;
	w[4] = to | (uint64_t)EV_SWITCH << 48 | (uint64_t)why << 56;
	w[5] = path_folded(g.path) | 1ull << 56;
	w[6] = rt_hooks();
	ring_commit(7);
	g.chunk_at = chunk;
	g.chunk_events = g.chunk_in_tokens = 0;
}

#endif
