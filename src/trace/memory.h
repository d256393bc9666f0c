/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content of memory according to the events: a sparse array of bytes.  Bytes that no event has
 * set read as 0.
 */
#ifndef HEDDLE_TRACE_MEMORY_H
#define HEDDLE_TRACE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

/*
 * Lines are short, so that the memory that a file can make a reader allocate stays proportional
 * to its length, however far apart its addresses are.
 */
#define MEMORY_LINE 64u
#define MEMORY_HINTS 16384u

struct memory_line {
	unsigned char bytes[MEMORY_LINE];
};

struct memory_image {
	struct map line_of; /* line number to its place among the slabs */
	VEC(struct memory_line *) slabs;
	uint64_t lines;
	struct memory_hint {
		uint64_t number; /* plus one; 0: empty */
		unsigned char *bytes;
	} hints[MEMORY_HINTS]; /* recently used lines */
};

void memory_release(struct memory_image *m);
/* Slow path: the line is created if absent. */
unsigned char *memory_find_line(struct memory_image *m, uint64_t number);

static inline unsigned char *memory_line(struct memory_image *m, uint64_t number)
{
	struct memory_hint *h = &m->hints[number & (MEMORY_HINTS - 1)];
	return h->number == number + 1 ? h->bytes : memory_find_line(m, number);
}

/* The value of 1, 2, 4 or 8 bytes.  The copies have constant lengths, because this runs for every
 * access. */
static inline uint64_t memory_load(const unsigned char *from, unsigned size)
{
	uint32_t four;
	uint64_t eight;
	uint16_t two;
	switch (size) {
	case 8:
		memcpy(&eight, from, 8);
		return eight;
	case 4:
		memcpy(&four, from, 4);
		return four;
	case 2:
		memcpy(&two, from, 2);
		return two;
	}
	return *from;
}

static inline void memory_store(unsigned char *to, uint64_t v, unsigned size)
{
	switch (size) {
	case 8:
		memcpy(to, &v, 8);
		return;
	case 4:
		memcpy(to, &v, 4);
		return;
	case 2:
		memcpy(to, &v, 2);
		return;
	}
	*to = (unsigned char)v;
}

static inline void memory_put(struct memory_image *m, uint64_t address, const void *bytes,
			      size_t size)
{
	for (const char *from = bytes; size;) {
		size_t at = address % MEMORY_LINE,
		       n = MEMORY_LINE - at < size ? MEMORY_LINE - at : size;
		memcpy(memory_line(m, address / MEMORY_LINE) + at, from, n);
		address += n;
		from += n;
		size -= n;
	}
}

static inline uint64_t memory_get(struct memory_image *m, uint64_t address, unsigned size)
{
	size_t at = address % MEMORY_LINE;
	if (at + size <= MEMORY_LINE)
		return memory_load(memory_line(m, address / MEMORY_LINE) + at, size);
	uint64_t v = 0;
	unsigned first = (unsigned)(MEMORY_LINE - at);
	memcpy(&v, memory_line(m, address / MEMORY_LINE) + at, first);
	memcpy((char *)&v + first, memory_line(m, address / MEMORY_LINE + 1), size - first);
	return v;
}

static inline void memory_set(struct memory_image *m, uint64_t address, uint64_t v, unsigned size)
{
	size_t at = address % MEMORY_LINE;
	if (at + size <= MEMORY_LINE)
		memory_store(memory_line(m, address / MEMORY_LINE) + at, v, size);
	else
		memory_put(m, address, &v, size);
}

#endif
