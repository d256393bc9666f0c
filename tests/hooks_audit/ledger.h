/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks on one side, accesses on the other, for one case; what does not match is a gap.
 *
 * Time is counted in announcements: each hook, and each call that leaves the corpus otherwise and
 * at which another thread may therefore run, is one tick.  The rule that the runtime relies on
 * is: an access happens after its own hook and before the next tick.  So each byte of an access
 * is looked up in the most recent hook of the same kind over it:
 *
 *   no such hook                                              not announced
 *   no tick since the hook                                    in time
 *   ticks since, byte not accessed under that hook before     late
 *   ticks since, byte accessed under it before the last tick  not announced: the hook was spent
 *                                                             on that
 *
 * A hook that itself says "late" promises exactly one tick between it and its store.  At the end
 * of the case each hook must have seen an access to each of its bytes.
 */
#ifndef AUDIT_LEDGER_H
#define AUDIT_LEDGER_H

#include "image.h"

enum gap {
	GAP_MISSING_READ,
	GAP_MISSING_WRITE, /* no byte of the access was announced */
	/* a load that only the write hook of a read-modify-write announces */
	GAP_UNREPORTED_READ,
	GAP_NARROW_HOOK, /* some bytes of the access were not announced */
	GAP_WIDE_HOOK,	 /* the hook announces bytes that are not accessed */
	GAP_EXTRA_HOOK,	 /* the hook announces an access that does not happen */
	GAP_LATE_READ,
	GAP_LATE_WRITE,	  /* one tick between hook and access */
	GAP_VERY_LATE,	  /* more than one */
	GAP_NOT_LATE,	  /* announced as late, but comes at once */
	GAP_ATOMIC_AGAIN, /* a load of what the hook of an atomic load has just loaded */
	/* announced by a hook, made by a memory function that reports it again */
	GAP_TWICE,
	GAP_LIBRARY, /* left to a function of a shared library, which announces nothing */
	GAP_COUNT
};

static const char *const gap_name[GAP_COUNT] = {
	"missing-read",	     "missing-write",  "unreported-read", "narrow-hook", "wide-hook",
	"extra-hook",	     "late-read",      "late-write",	  "very-late",	 "not-late",
	"atomic-load-again", "reported-twice", "library-call",
};

struct hook {
	uint64_t address, size;
	uint64_t tick;
	uint64_t site;	/* address of the call */
	uint32_t *seen; /* for each byte: 1 + tick of its last access under this hook */
	bool is_write, is_late;
	bool is_judged; /* over memory that other threads may reach */
};

struct gap_site {
	enum gap gap;
	uint64_t site;
	uint64_t hook_size, hook_seen; /* of a hook's gap: bytes announced, bytes accessed */
	const char *library_function;
};

struct ledger {
	struct hook *hooks;
	size_t hook_count, hook_cap;
	uint64_t ticks;
	/* last atomic load that a hook performed */
	uint64_t atomic_address, atomic_size, atomic_tick;
	uint64_t judged;       /* accesses to shared memory, and memory functions called */
	struct gap_site *gaps; /* each site once */
	size_t gap_count, gap_cap;
};

/* Keep a gap; its zeroed record for details, or NULL if it is known already. */
static inline struct gap_site *ledger_gap(struct ledger *l, enum gap gap, uint64_t site)
{
	for (size_t i = 0; i < l->gap_count; i++)
		if (l->gaps[i].gap == gap && l->gaps[i].site == site)
			return NULL;
	struct gap_site *g = array_add((void **)&l->gaps, &l->gap_count, &l->gap_cap, sizeof(*g));
	g->gap = gap;
	g->site = site;
	return g;
}

static inline void ledger_hook_gap(struct ledger *l, enum gap gap, const struct hook *h,
				   uint64_t seen)
{
	struct gap_site *g = h->is_judged ? ledger_gap(l, gap, h->site) : NULL;
	if (g) {
		g->hook_size = h->size;
		g->hook_seen = seen;
	}
}

static inline void ledger_hook(struct ledger *l, uint64_t address, uint64_t size, bool is_write,
			       bool is_late, bool is_judged, uint64_t site)
{
	struct hook *h = array_add((void **)&l->hooks, &l->hook_count, &l->hook_cap, sizeof(*h));
	*h = (struct hook){ .address = address,
			    .size = size,
			    .tick = l->ticks,
			    .site = site,
			    .is_write = is_write,
			    .is_late = is_late,
			    .is_judged = is_judged };
	h->seen = calloc(size + 1, sizeof(*h->seen));
	if (!h->seen)
		die("out of memory", NULL);
}

static inline void ledger_tick(struct ledger *l)
{
	l->ticks++;
}

static inline struct hook *ledger_find(struct ledger *l, uint64_t byte, bool is_write)
{
	for (size_t i = l->hook_count; i-- > 0;) {
		struct hook *h = &l->hooks[i];
		if (h->is_write == is_write && byte - h->address < h->size)
			return h;
	}
	return NULL;
}

enum byte_state {
	BYTE_IN_TIME,
	BYTE_UNANNOUNCED,
	BYTE_LATE,
	BYTE_VERY_LATE,
	BYTE_NOT_LATE,
	BYTE_STATES
};

static inline enum byte_state ledger_byte(struct ledger *l, uint64_t byte, bool is_write)
{
	struct hook *h = ledger_find(l, byte, is_write);
	if (!h)
		return BYTE_UNANNOUNCED;
	uint64_t age = l->ticks - h->tick, promised = h->is_late ? 1 : 0;
	uint32_t *seen = &h->seen[byte - h->address];
	if (age > promised && *seen && *seen != l->ticks + 1)
		return BYTE_UNANNOUNCED;
	*seen = (uint32_t)l->ticks + 1;
	if (age == promised)
		return BYTE_IN_TIME;
	if (age < promised)
		return BYTE_NOT_LATE;
	return age == promised + 1 ? BYTE_LATE : BYTE_VERY_LATE;
}

/* Whether a write that has not happened yet is announced over all these bytes right now. */
static inline bool ledger_is_write_announced(struct ledger *l, uint64_t address, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++) {
		struct hook *h = ledger_find(l, address + i, true);
		if (!h || l->ticks - h->tick > (h->is_late ? 1 : 0) ||
		    h->seen[address + i - h->address])
			return false;
	}
	return true;
}

static inline void ledger_atomic_load(struct ledger *l, uint64_t address, uint64_t size)
{
	l->atomic_address = address;
	l->atomic_size = size;
	l->atomic_tick = l->ticks;
}

static inline bool ledger_is_atomic_again(const struct ledger *l, uint64_t address, uint64_t size)
{
	return l->atomic_tick == l->ticks && address == l->atomic_address && size == l->atomic_size;
}

/* An access to any memory.  Returns true and *gap if it is not announced as it should be. */
static inline bool ledger_access(struct ledger *l, uint64_t address, uint64_t size, bool is_write,
				 enum gap *gap)
{
	uint64_t count[BYTE_STATES] = { 0 };
	bool write_is_announced = !is_write && ledger_is_write_announced(l, address, size);
	for (uint64_t i = 0; i < size; i++)
		count[ledger_byte(l, address + i, is_write)]++;
	if (count[BYTE_IN_TIME] == size)
		return false;
	if (count[BYTE_UNANNOUNCED] == size)
		*gap = is_write					  ? GAP_MISSING_WRITE
		       : write_is_announced			  ? GAP_UNREPORTED_READ
		       : ledger_is_atomic_again(l, address, size) ? GAP_ATOMIC_AGAIN
								  : GAP_MISSING_READ;
	else if (count[BYTE_UNANNOUNCED])
		*gap = GAP_NARROW_HOOK;
	else if (count[BYTE_VERY_LATE])
		*gap = GAP_VERY_LATE;
	else if (count[BYTE_LATE])
		*gap = is_write ? GAP_LATE_WRITE : GAP_LATE_READ;
	else
		*gap = GAP_NOT_LATE;
	return true;
}

/* How many bytes of a hook have been accessed under it. */
static inline uint64_t ledger_seen(const struct hook *h)
{
	uint64_t seen = 0;
	for (uint64_t b = 0; b < h->size; b++)
		seen += h->seen[b] != 0;
	return seen;
}

/*
 * A memory function accesses a range and reports it itself: a hook that waits for this access
 * announced it twice.
 */
static inline void ledger_performed(struct ledger *l, uint64_t address, uint64_t size,
				    bool is_write)
{
	for (size_t i = 0; i < l->hook_count; i++) {
		struct hook *h = &l->hooks[i];
		bool overlaps = address < h->address + h->size && h->address < address + size;
		if (h->is_write != is_write || !overlaps || ledger_seen(h))
			continue;
		for (uint64_t b = 0; b < h->size; b++)
			h->seen[b] = (uint32_t)l->ticks + 1;
		ledger_hook_gap(l, GAP_TWICE, h, h->size);
	}
}

/* The case is over: every hook must have been followed by its access. */
static inline void ledger_finish(struct ledger *l)
{
	for (size_t i = 0; i < l->hook_count; i++) {
		const struct hook *h = &l->hooks[i];
		uint64_t seen = ledger_seen(h);
		if (seen < h->size)
			ledger_hook_gap(l, seen ? GAP_WIDE_HOOK : GAP_EXTRA_HOOK, h, seen);
	}
}

static inline void ledger_release(struct ledger *l)
{
	for (size_t i = 0; i < l->hook_count; i++)
		free(l->hooks[i].seen);
	free(l->hooks);
	free(l->gaps);
	*l = (struct ledger){ 0 };
}

#endif
