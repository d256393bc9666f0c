/* SPDX-License-Identifier: Apache-2.0 */
/* The program's memory.  Freed blocks are not used again, so each use of one is found. */
#include <sys/mman.h>

#include "interp/machine.h"

#define HEAP_LIMIT (1ull << 30)

int space_init(struct machine *m)
{
	void *arena =
		mmap((void *)ARENA_BASE, ARENA_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (arena != (void *)ARENA_BASE) {
		if (arena != MAP_FAILED)
			munmap(arena, ARENA_SIZE);
		return err_set(m->err, ERR_IO, "no room for the interpreted program's memory");
	}
	void *bits = mmap(NULL, ARENA_SIZE / 8 + 8, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bits == MAP_FAILED) {
		munmap(arena, ARENA_SIZE);
		return err_set(m->err, ERR_IO, "no room for the interpreted program's memory");
	}
	m->valid = bits;
	m->heap = ARENA_BASE + 64;
	return 0;
}

void space_release(struct machine *m)
{
	if (!m->valid)
		return;
	munmap((void *)ARENA_BASE, ARENA_SIZE);
	munmap(m->valid, ARENA_SIZE / 8 + 8);
}

uint64_t space_allot(struct machine *m, uint64_t size, uint64_t align)
{
	/* A gap of a byte at least, so that the end of one object is not in the next. */
	uint64_t at = (m->heap + 1 + align - 1) & ~(align - 1);
	if (size > HEAP_LIMIT || at + size - ARENA_BASE > HEAP_LIMIT)
		return 0;
	m->heap = at + size;
	space_mark(m, at, size, true);
	return at;
}

void space_mark(struct machine *m, uint64_t at, uint64_t size, bool is_valid)
{
	uint64_t first = at - ARENA_BASE, end = first + size;
	for (; first < end && (first & 7 || end - first < 8); first++) {
		if (is_valid)
			m->valid[first >> 3] |= (uint8_t)(1u << (first & 7));
		else
			m->valid[first >> 3] &= (uint8_t) ~(1u << (first & 7));
	}
	if (first == end)
		return;
	memset(m->valid + (first >> 3), is_valid ? 255 : 0, (end - first) / 8);
	uint64_t rest = (end - first) & 7;
	if (rest)
		space_mark(m, at + size - rest, rest, is_valid);
}

bool space_holds(const struct machine *m, uint64_t at, uint64_t size)
{
	if (at - ARENA_BASE >= ARENA_SIZE || size > ARENA_SIZE)
		return false;
	for (; size >= 8; at += 8, size -= 8)
		if (!space_is_valid(m, at, 8))
			return false;
	return !size || space_is_valid(m, at, (unsigned)size);
}

bool space_check(struct machine *m, uint64_t at, uint64_t size, bool is_write)
{
	if (space_holds(m, at, size) && !(is_write && size && at < m->readonly_end))
		return true;
	machine_end(m, INTERP_FAILED, "%s of %llu bytes at %s", is_write ? "a write" : "a read",
		    (unsigned long long)size,
		    at < 4096			   ? "a null pointer"
		    : space_holds(m, at, size)	   ? "a constant"
		    : at - ARENA_BASE < ARENA_SIZE ? "an address that is in no live object"
						   : "a wild address");
	return false;
}

bool space_string(struct machine *m, uint64_t at, uint64_t *len)
{
	for (*len = 0; space_is_valid(m, at + *len, 1); ++*len)
		if (!*(const char *)(uintptr_t)(at + *len))
			return true;
	return space_check(m, at + *len, 1, false);
}
