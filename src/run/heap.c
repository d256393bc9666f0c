/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap is glibc's.  glibc uses the eight bytes before every block itself, so no access of the
 * program needs their sixteen bytes of shadow.  These hold a record of the block: its state, the
 * stack and the thread that allocated it, and its size.  To find the block of an address the
 * shadow is searched backwards for such a record; only reports need that.
 *
 * An allocation clears the shadow of the block: earlier accesses to these addresses were to
 * another block.
 */
#include "run/heap.h"

#include <errno.h>
#include <malloc.h>

#include "run/found.h"
#include "run/history.h"
#include "run/memory.h"
#include "run/object.h"
#include "run/place.h"
#include "run/real.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/signals.h"
#include "run/thr.h"

#define WALK_LIMIT (1u << 20) /* bytes of a block before an address */
enum { CELL_KIND, CELL_STACK, CELL_UID, CELL_SIZE };

/*
 * A block that an unwatched thread allocates, or glibc for a thread, has no owner.  Its shadow is
 * cleared all the same.
 */
static void *block_made(const char *function, void *p, size_t size, uintptr_t pc)
{
	struct thr *t = run_self;
	UNSAFE_CALL(t, function, pc);
	if (!p || (!t && !run_state.is_active))
		return p;
	uintptr_t at = (uintptr_t)p;
	size_t usable = malloc_usable_size(p);
	shadow_clear(at, usable);
	uint32_t *cells = shadow_of(at - 8);
	cells[CELL_KIND] = 0;
	if (!t)
		return p;
	cells[CELL_STACK] = stack_now(t, pc);
	cells[CELL_UID] = t->uid;
	cells[CELL_SIZE] = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	cells[CELL_KIND] = CELL_BLOCK;
	return p;
}

/*
 * The last frees, by a hash of the address.  An entry may be written by two threads at once: a
 * reader takes only what it finds whole, and an address that is freed again has a new entry.
 */
#define FREES 16384
static struct last_free {
	uintptr_t start, pc, check; /* the exclusive or of the others */
	uint32_t uid;
} * frees;

static struct last_free *free_of(uintptr_t start)
{
	return &frees[(start * 0x9e3779b97f4a7c15ull) >> 50];
}

static void note_free(const struct thr *t, uintptr_t start, uintptr_t pc)
{
	if (!frees)
		return;
	struct last_free *f = free_of(start);
	__atomic_store_n(&f->start, start, __ATOMIC_RELAXED);
	__atomic_store_n(&f->pc, pc, __ATOMIC_RELAXED);
	__atomic_store_n(&f->uid, t->uid, __ATOMIC_RELAXED);
	__atomic_store_n(&f->check, start ^ pc ^ t->uid, __ATOMIC_RELAXED);
}

bool heap_freed_by(uintptr_t start, uint32_t *uid, uintptr_t *pc)
{
	if (!frees)
		return false;
	struct last_free f = *free_of(start);
	*uid = f.uid;
	*pc = f.pc;
	return f.start == start && f.check == (f.start ^ f.pc ^ f.uid);
}

void heap_begin(void)
{
	frees = run_map(FREES * sizeof(*frees));
}

static void block_freed(struct thr *t, void *p, uintptr_t pc)
{
	uintptr_t at = (uintptr_t)p;
	uint32_t *cells = shadow_of(at - 8);
	if (cells[CELL_KIND] == CELL_BLOCK_FREED) {
		shadow_free_again(t, at, pc);
		return; /* glibc handles the double free */
	}
	note_free(t, at, pc);
	bool is_unmapped = ((size_t *)p)[-1] & 2;
	size_t usable = malloc_usable_size(p);
	__atomic_store_n(&t->freeing, p, __ATOMIC_RELEASE);
	/* First the objects in the block, then its bytes. */
	bool has_objects = object_has_any(at, usable);
	if (has_objects && run_state.is_parallel)
		object_destroy(t, at, usable, ACT_FREE, stack_now(t, pc));
	shadow_free(t, at, usable, is_unmapped, pc);
	if (has_objects)
		object_remove(at, usable);
	cells[CELL_KIND] = is_unmapped ? 0 : CELL_BLOCK_FREED;
}

static void free_block(struct thr *t, void *p, uintptr_t pc)
{
	UNSAFE_CALL(t, "free", pc);
	block_freed(t, p, pc);
	__libc_free(p);
	__atomic_store_n(&t->freeing, NULL, __ATOMIC_RELEASE);
}

void heap_unfree(struct thr *t)
{
	uintptr_t at = (uintptr_t)t->freeing;
	t->freeing = NULL;
	if (!at || shadow_of(at - 8)[CELL_KIND] != CELL_BLOCK_FREED)
		return;
	shadow_clear(at, malloc_usable_size((void *)at));
	shadow_of(at - 8)[CELL_KIND] = CELL_BLOCK;
}

bool heap_find(uintptr_t address, struct block *b)
{
	for (uintptr_t a = address & ~7ull; address - a < WALK_LIMIT; a -= 8) {
		const uint32_t *cells = shadow_of(a - 8);
		if (!CELL_IS_BLOCK(cells[CELL_KIND]))
			continue;
		*b = (struct block){ a, cells[CELL_SIZE], cells[CELL_UID], cells[CELL_STACK],
				     cells[CELL_KIND] == CELL_BLOCK_FREED };
		return address - a < b->size || (!b->size && address == a);
	}
	return false;
}

RUN_EXPORT void *malloc(size_t size)
{
	return block_made("malloc", __libc_malloc(size), size, PLACE);
}

RUN_EXPORT void *calloc(size_t n, size_t size)
{
	return block_made("calloc", __libc_calloc(n, size), n * size, PLACE);
}

RUN_EXPORT void free(void *p)
{
	if (run_self && p)
		free_block(run_self, p, PLACE);
	else
		__libc_free(p);
}

/* A block that must move is a new one; the old one is freed, and later uses of it are reported. */
static void *resize(void *p, size_t size, uintptr_t pc)
{
	struct thr *t = run_self;
	if (!p)
		return block_made("realloc", __libc_malloc(size), size, pc);
	if (!t)
		return size ? block_made("realloc", __libc_realloc(p, size), size, pc)
			    : __libc_realloc(p, 0);
	if (!size) {
		free_block(t, p, pc);
		return NULL;
	}
	size_t old = malloc_usable_size(p);
	if (size <= old && size >= old / 2) {
		shadow_of((uintptr_t)p - 8)[CELL_SIZE] =
			size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
		return p;
	}
	void *new = block_made("realloc", __libc_malloc(size), size, pc);
	if (!new)
		return NULL;
	size_t kept = old < size ? old : size;
	access_range(t, (uintptr_t)p, kept, 0, pc);
	run_copy(new, p, kept);
	free_block(t, p, pc);
	return new;
}

RUN_EXPORT void *realloc(void *p, size_t size)
{
	return resize(p, size, PLACE);
}

RUN_EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;
	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(p, all, PLACE);
}

static void *aligned(size_t alignment, size_t size, uintptr_t pc)
{
	return block_made("memalign", __libc_memalign(alignment, size), size, pc);
}

RUN_EXPORT void *memalign(size_t alignment, size_t size)
{
	return aligned(alignment, size, PLACE);
}

RUN_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return aligned(alignment, size, PLACE);
}

RUN_EXPORT int posix_memalign(void **p, size_t alignment, size_t size)
{
	if (alignment % sizeof(void *) || !alignment || (alignment & (alignment - 1)))
		return EINVAL;
	int before = errno;
	void *new = aligned(alignment, size, PLACE);
	errno = before;
	if (!new)
		return ENOMEM;
	*p = new;
	return 0;
}

RUN_EXPORT void *valloc(size_t size)
{
	return aligned(4096, size, PLACE);
}

RUN_EXPORT void *pvalloc(size_t size)
{
	return aligned(4096, (size + 4095) & ~4095ull, PLACE);
}
