/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc and its relatives, as the program calls them, and the checks of what it frees.
 *
 * A call from the program's own code is a scheduling point.  A call from inside libc is not, since
 * libc may hold locks.  Outside of control, and for the runtime's own use of libc, the calls go
 * to libc's heap.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>

#include "rt/buffer.h"
#include "rt/donor.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/heap.h"
#include "rt/heap_block.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/probe.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/shadow.h"
#include "rt/start.h"
#include "rt/sync.h"
#include "rt/sys.h"
#include "wire/wire.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

/* Is this call under control; if so and it comes from the program's own code, it is a hook. */
static bool enter(pc_t pc)
{
	if (!g.active || g.internal)
		return false;
	if (!rt_is_libc_code(pc)) {
		rt_enter(pc);
		rt_point();
	}
	return true;
}

static bool is_native(void)
{
	/* libc's own heap is not put back. */
	if (unlikely(g.internal && g.exploring && g.active && !donor_is_starting))
		explore_not_in_place(SYS_brk);
	return !g.session || g.internal;
}

static void *allocate(uint64_t size, uint64_t alignment, bool zero, pc_t pc)
{
	bool controlled = enter(pc);
	int fill = zero ? 0 : WIRE_FRESH_FILL;
	uintptr_t again = 0;
	if (controlled && alignment <= 16 && size < HEAP_LARGE &&
	    heap_may_reuse(heap_capacity_for(size), pc))
		again = heap_take_freed(heap_capacity_for(size), pc);
	uintptr_t p = heap_take_block(size, alignment, fill, again);
	if (!p) {
		errno = ENOMEM;
		return NULL;
	}
	if (size >= HEAP_LARGE)
		fill = 0;
	if (controlled && module_is_loader(pc))
		header_of(p)->flags |= BLOCK_OF_LOADER;
	else if (rt_is_libc_code(pc))
		header_of(p)->flags |= BLOCK_OF_LIBRARY;
	if (unlikely(!g.active && !g.internal))
		heap_note_early(p, pc);
	if (controlled)
		ev_block(EV_ALLOC, p, size, (uint64_t)fill, fill ? 0 : EVF_ZERO, pc);
	return (void *)p;
}

/* A child of fork, with threads of its own perhaps: the arena is left as it is. */
static bool is_child(void)
{
	return !g.active && g.internal;
}

static enum heap_family family_of(uintptr_t p)
{
	return (enum heap_family)(header_of(p)->flags >> BLOCK_FAMILY_SHIFT);
}

/* The wrong function is undefined behaviour that works with most heaps, ours too: a finding, and
 * the run continues. */
static void check_family(uintptr_t p, enum heap_family by, pc_t pc)
{
	if (family_of(p) != by)
		rt_finding(FAIL_FREE_MISMATCH, p, (uint64_t)family_of(p) << 8 | by, pc);
}

static void check_start(uintptr_t p, bool controlled, pc_t pc)
{
	uint8_t state = p % 16 ? HEAP_NONE : heap_state(p);
	if (state == HEAP_START)
		return;
	if (controlled)
		rt_fail(state == HEAP_FREED_START ? FAIL_DOUBLE_FREE : FAIL_INVALID_FREE, p, 0, pc);
	rt_fatal("free() of a bad pointer before main or after the end of control");
}

/*
 * The thread's own stores to a block come before its end, also before one that fails: a search
 * that turns both around would otherwise plan it without them.  While the thread waits for them
 * others may free the block, so this comes before all checks.
 */
static void drain_block(uintptr_t p)
{
	if (!buffer_is_on() || p % 16)
		return;
	uint8_t state = heap_state(p);
	if (state == HEAP_START || state == HEAP_FREED_START)
		buffer_drain_range(p, header_of(p)->size);
}

/*
 * Can this be a block of libc's own heap: one that the dynamic linker or libc made before the
 * session began?  Those lie below the end of the data segment, in front of each stands its size,
 * and the block behind it says that it is in use.
 */
static bool may_be_libcs(uintptr_t p)
{
	enum { IS_BEFORE_USED = 1, IS_MAPPED = 2, FLAGS = 7, SMALLEST = 32 };
	uintptr_t end = (uintptr_t)sys3(SYS_brk, 0, 0, 0);
	uint64_t size, next;
	if (p % 16 || shadow_is_module(p) || p >= end ||
	    !rt_load(&size, (const void *)(p - sizeof(size)), sizeof(size)))
		return false;
	bool is_mapped = size & IS_MAPPED;
	size &= ~(uint64_t)FLAGS;
	if (is_mapped || size < SMALLEST || size % 16 || size > end - p)
		return false;
	return rt_load(&next, (const void *)(p - sizeof(next) + size), sizeof(next)) &&
	       next & IS_BEFORE_USED;
}

/* A pointer that is not in the arena is released: a finding, unless it may be libc's. */
static void check_foreign(uintptr_t p, bool controlled, pc_t pc)
{
	if (controlled && !may_be_libcs(p))
		rt_fail(FAIL_INVALID_FREE, p, p, pc); /* of the object 48 bits are kept */
}

static void release(uintptr_t p, enum heap_family by, pc_t pc)
{
	if (is_child())
		return;
	bool controlled = enter(pc);
	if (!heap_contains(p)) {
		check_foreign(p, controlled, pc);
		g.internal++;
		__libc_free((void *)p);
		g.internal--;
		return;
	}
	if (controlled)
		drain_block(p);
	check_start(p, controlled, pc);
	struct header *h = header_of(p);
	if (controlled) {
		check_family(p, by, pc);
		if (h->flags & BLOCK_HAS_SYNC)
			sync_forget(p, h->size, pc);
		ev_block(EV_FREE, p, h->size, 0, 0, pc);
	}
	heap_mark_freed(p);
	if (controlled && !(h->flags & BLOCK_ALIGNED) && heap_may_reuse(h->capacity16 * 16ull, pc))
		heap_keep_freed(p, pc);
	else
		heap_free_block(p);
}

bool heap_is_in_use(void)
{
	static RT_STATE enum { UNKNOWN, NO, YES } known;
	if (!g.session)
		return false;
	if (!known)
		known = heap_is_ours() ? YES : NO;
	return known == YES && !g.internal;
}

void *heap_allocate(size_t size, size_t alignment, enum heap_family family, pc_t pc)
{
	void *p = allocate(size, alignment, false, pc);
	if (p)
		header_of((uintptr_t)p)->flags |= (uint16_t)(family << BLOCK_FAMILY_SHIFT);
	return p;
}

void heap_release(void *block, enum heap_family family, pc_t pc)
{
	if (block)
		release((uintptr_t)block, family, pc);
}

RT_EXPORT void *malloc(size_t size)
{
	return is_native() ? __libc_malloc(size) : allocate(size, 16, false, PC);
}

bool heap_is_ours(void)
{
	g.internal++;
	bool is_ours = rt_owns_code((uintptr_t)REAL_FN(dlsym)(RTLD_DEFAULT, "malloc"));
	g.internal--;
	return is_ours;
}

RT_EXPORT void *calloc(size_t count, size_t size)
{
	if (is_native())
		return __libc_calloc(count, size);
	size_t total;
	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return allocate(total, 16, true, PC);
}

RT_EXPORT void free(void *block)
{
	if (!block)
		return;
	if (is_native() && !heap_contains((uintptr_t)block))
		__libc_free(block);
	else
		release((uintptr_t)block, HEAP_MALLOC, PC);
}

static void *reallocate(void *block, size_t size, pc_t pc)
{
	uintptr_t old = (uintptr_t)block;
	if (!block)
		return allocate(size, 16, false, pc);
	if (!heap_contains(old)) {
		/* From before the session began: libc's own. */
		check_foreign(old, enter(pc), pc);
		g.internal++;
		void *p = __libc_realloc(block, size);
		g.internal--;
		return p;
	}
	if (!size) {
		release(old, HEAP_MALLOC, pc);
		return NULL;
	}
	if (old % 16 || heap_state(old) != HEAP_START) {
		release(old, HEAP_MALLOC, pc); /* reports what is wrong with it */
		return NULL;
	}
	struct header *h = header_of(old);
	uint64_t capacity = h->capacity16 * 16ull;
	if (is_child()) {
		void *p = __libc_malloc(size);
		if (p)
			rt_memcpy(p, block, h->size < size ? h->size : size);
		return p;
	}
	if (size <= capacity && size > capacity / 2) {
		/* In place, or a buffer that grows byte by byte would be copied each time, with
		 * the events of a copy. */
		if (enter(pc)) {
			drain_block(old);
			check_start(old, true, pc); /* again: others have had their turns */
			check_family(old, HEAP_MALLOC, pc);
			ev_block(EV_RESIZE, old, size, h->size, 0, pc);
		}
		h->size = size;
		return block;
	}
	bool controlled = g.active && !g.internal;
	uint64_t keep = h->size < size ? h->size : size;
	void *fresh = allocate(size, 16, false, pc);
	if (!fresh)
		return NULL;
	/* A move by libc has no event here: the wrapper of its caller reports the result. */
	if (controlled && rt_is_libc_code(pc))
		controlled = false;
	if (controlled)
		rt_libc_read(block, keep, pc);
	rt_memcpy(fresh, block, keep);
	if (controlled)
		rt_libc_wrote(fresh, keep, pc);
	release(old, HEAP_MALLOC, pc);
	return fresh;
}

RT_EXPORT void *realloc(void *block, size_t size)
{
	if (is_native() && !heap_contains((uintptr_t)block))
		return __libc_realloc(block, size);
	return reallocate(block, size, PC);
}

RT_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	if (is_native() && !heap_contains((uintptr_t)block))
		return __libc_realloc(block, total);
	return reallocate(block, total, PC);
}

static void *allocate_aligned(size_t alignment, size_t size, pc_t pc)
{
	return is_native() ? __libc_memalign(alignment, size)
			   : allocate(size, alignment, false, pc);
}

static bool is_power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

RT_EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
	if (!is_power_of_two(alignment) || alignment % sizeof(void *))
		return EINVAL;
	int saved = errno;
	void *p = allocate_aligned(alignment, size, PC);
	errno = saved;
	if (!p)
		return ENOMEM;
	*out = p;
	if (g.active && !g.internal)
		rt_libc_wrote(out, sizeof(*out), PC);
	return 0;
}

RT_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	if (!is_power_of_two(alignment)) {
		errno = EINVAL;
		return NULL;
	}
	return allocate_aligned(alignment, size, PC);
}

RT_EXPORT void *memalign(size_t alignment, size_t size)
{
	if (!is_power_of_two(alignment)) {
		errno = EINVAL;
		return NULL;
	}
	return allocate_aligned(alignment, size, PC);
}

RT_EXPORT void *valloc(size_t size)
{
	return allocate_aligned(4096, size, PC);
}

RT_EXPORT void *pvalloc(size_t size)
{
	return allocate_aligned(4096, (size + 4095) & ~4095ul, PC);
}

RT_EXPORT size_t malloc_usable_size(void *block)
{
	if (!block)
		return 0;
	if (heap_contains((uintptr_t)block))
		return header_of((uintptr_t)block)->size;
	return REAL_FN(malloc_usable_size)(block);
}
