/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Canonical addresses: what traces say instead of addresses that may differ from run to run
 * (modules, the main thread's TLS).  The first module appears at CANONICAL_FIRST_MODULE, the next
 * ones one after the other from CANONICAL_MODULES, other memory outside the arena from
 * CANONICAL_REGIONS.  Runtime and tool assign the places each for itself, by the functions here,
 * in the order in which modules and regions are announced.
 */
#ifndef HEDDLE_WIRE_CANONICAL_H
#define HEDDLE_WIRE_CANONICAL_H

#include <stdbool.h>
#include <stdint.h>

#define CANONICAL_FIRST_MODULE 0x555555554000ull /* where it is without randomisation */
#define CANONICAL_MODULES 0x7f0000000000ull
#define CANONICAL_REGIONS 0x7e0000000000ull
#define CANONICAL_PAGE 4096ull

/* Where the next ones go; starts as zero. */
struct canonical_places {
	bool has_first;
	uint64_t modules, regions; /* bytes given out */
};

static inline uint64_t canonical_whole_pages(uint64_t size)
{
	return (size + CANONICAL_PAGE - 1) & ~(CANONICAL_PAGE - 1);
}

static inline uint64_t canonical_module(struct canonical_places *c, uint64_t size)
{
	if (!c->has_first) {
		c->has_first = true;
		return CANONICAL_FIRST_MODULE;
	}
	uint64_t place = CANONICAL_MODULES + c->modules;
	c->modules += canonical_whole_pages(size);
	return place;
}

/* Alignment is kept, so that addresses differ from the real ones in whole pages. */
static inline uint64_t canonical_region(struct canonical_places *c, uint64_t start, uint64_t size)
{
	uint64_t place = CANONICAL_REGIONS + c->regions + start % CANONICAL_PAGE;
	c->regions += canonical_whole_pages(start % CANONICAL_PAGE + size);
	return place;
}

#endif
