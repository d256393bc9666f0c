/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of a controlled run: heap=fresh.  Every thread slot has a part of its own at a fixed
 * address and takes new memory from its end, so allocations of different threads are independent
 * and no address is used twice until the quarantine of freed blocks exceeds its bound.  A map
 * with one byte for each 16 bytes of heap tells the state of every piece, outside the reach of
 * the program's small errors: it catches use after free, double and invalid free.
 *
 * Fresh memory is filled with WIRE_FRESH_FILL.  The session may name a range of addresses that
 * gets another byte: the tool compares two such executions to learn whether those bytes matter.
 * Large blocks are left zero as the kernel gives them.  Blocks of LARGE bytes and more are never
 * reused, their pages are given back.
 *
 * heap=reuse: a block that the program frees may be handed out again at once, to whichever thread
 * next asks for one of its class; whether it is, is a choice.  That is how a heap behaves whose
 * lists are shared, and what ABA errors need.
 *
 * A call from the program's own code is a scheduling point; a call from inside libc is not, since
 * libc may hold locks.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>

#include "rt/buffer.h"
#include "rt/chunk.h"
#include "rt/donor.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/explore_snapshot.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/heap.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/start.h"
#include "rt/sync.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define LARGE 0x20000ull
#define QUARANTINE_BYTES (256ull << 20)
#define QUARANTINE_BLOCKS (1u << 20)
#define CLASSES 512

enum {
	BLOCK_ALIGNED = 1,
	BLOCK_HAS_SYNC = 2,
	BLOCK_OF_LOADER = 4,
	BLOCK_OF_LIBRARY = 8,  /* made by libc or the C++ library for itself */
	BLOCK_FAMILY_SHIFT = 8 /* enum heap_family from here */
};

struct header { /* directly before the block */
	uint64_t size;
	uint32_t capacity16; /* capacity in units of 16 bytes */
	uint16_t slot;
	uint16_t flags;
};

_Static_assert(sizeof(struct header) == HEAP_HEADER, "as the snapshot has it");

struct part {
	uintptr_t next, end;
	uintptr_t reusable[CLASSES]; /* lists through the first word of the block */
};

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static RT_STATE struct part *parts; /* ARENA_SLOTS */
/* taken from the far end for slots that have used up their own */
static RT_STATE uint32_t extra_parts;
static RT_STATE uintptr_t *quarantine; /* ring */
/* heap=reuse: newest first, linked by the size in their headers */
static RT_STATE uintptr_t freed[CLASSES];
static RT_STATE uint64_t quarantine_head, quarantine_tail, quarantine_bytes;
/* Restart in place: what constructors left, and how far each part has been used by any execution.
 */
static RT_KEPT uintptr_t marked_next;
static RT_KEPT uintptr_t *dirty_end;

/* Blocks that were made before control began, and by whom. */
#define EARLY_MAX 0x10000
static RT_KEPT struct early {
	uintptr_t block;
	pc_t pc;
} * early;
static RT_KEPT uint32_t early_count;

static uint8_t *state_of(uintptr_t p)
{
	return (uint8_t *)(HEAP_STATE_BASE + ((p - ARENA_HEAP) >> 4));
}

static struct header *header_of(uintptr_t p)
{
	return (struct header *)(p - sizeof(struct header));
}

void heap_init(void)
{
	rt_map_at(ARENA_HEAP, ARENA_SLOTS * ARENA_HEAP_PART);
	rt_map_at(HEAP_STATE_BASE, ARENA_SLOTS * ARENA_HEAP_PART / 16);
	parts = rt_map(ARENA_SLOTS * sizeof(*parts));
	quarantine = rt_map(QUARANTINE_BLOCKS * sizeof(*quarantine));
	heap_prepare_slot(0);
}

void heap_prepare_slot(uint32_t slot)
{
	struct part *p = &parts[slot];
	if (p->next)
		return;
	p->next = ARENA_HEAP + slot * ARENA_HEAP_PART;
	p->end = p->next + ARENA_HEAP_PART;
}

void heap_snapshot(void)
{
	shadow_snapshot(ARENA_HEAP, parts[0].next - ARENA_HEAP);
}

/* Capacity for a size: multiples of 16, above 1 KiB eight steps for each power of two, so that
 * classes are few. */
static uint64_t capacity_for(uint64_t size)
{
	uint64_t step = 16;
	if (size > 1024)
		step = 1ull << (63 - __builtin_clzll(size) - 3);
	uint64_t capacity = (size + step - 1) / step * step;
	return capacity ? capacity : 16;
}

static unsigned class_of(uint64_t capacity)
{
	if (capacity <= 1024)
		return (unsigned)(capacity / 16);
	unsigned power = 63 - (unsigned)__builtin_clzll(capacity);
	return 64 + (power - 10) * 8 + (unsigned)((capacity >> (power - 3)) & 7);
}

/* New memory at the end of a slot's part; 0 if there is none. */
static uintptr_t take_new(uint32_t slot, uint64_t capacity, uint64_t alignment)
{
	struct part *part = &parts[slot];
	uintptr_t p = (part->next + sizeof(struct header) + alignment - 1) & ~(alignment - 1);
	if (p + capacity > part->end || p < part->next) {
		uint64_t need = capacity / ARENA_HEAP_PART + 2;
		if (need > ARENA_SLOTS / 2 || extra_parts + need > ARENA_SLOTS / 2)
			return 0;
		extra_parts += (uint32_t)need;
		part->next = ARENA_HEAP + (ARENA_SLOTS - extra_parts) * ARENA_HEAP_PART;
		part->end = part->next + need * ARENA_HEAP_PART;
		p = (part->next + sizeof(struct header) + alignment - 1) & ~(alignment - 1);
	}
	part->next = p + capacity;
	return p;
}

static uint32_t own_slot(void)
{
	return g.cur ? g.cur->slot : 0;
}

static void clear(uintptr_t from, uintptr_t to)
{
	rt_memset((void *)from, 0, to - from);
	rt_memset((void *)SHADOW(from), 0, to - from);
}

/* Memory that earlier executions have used is again as the kernel gives it. */
static void clear_large(uintptr_t p, uint64_t size)
{
	uintptr_t from = (p + 4095) & ~4095ull, to = (p + size) & ~4095ull;
	clear(p, from < p + size ? from : p + size);
	if (to <= from)
		return;
	sys3(SYS_madvise, from, to - from, MADV_DONTNEED);
	sys3(SYS_madvise, SHADOW(from), to - from, MADV_DONTNEED);
	clear(to, p + size);
}

/* Is this a call that heap=reuse is about?  What libraries do for themselves is not. */
static bool may_reuse(uint64_t capacity, pc_t pc)
{
	return g.session->heap == HEAP_REUSE && capacity < LARGE && !rt_is_libc_code(pc);
}

/* malloc and free of one class cannot change places. */
static void tell_class(const uintptr_t *list, pc_t pc)
{
	explore_hidden((uintptr_t)list, 0, 1, pc);
}

/* The block of this class that was freed last, if there is one and it is chosen. */
static uintptr_t take_freed(uint64_t capacity, pc_t pc)
{
	uintptr_t *list = &freed[class_of(capacity)], p = *list;
	tell_class(list, pc);
	if (!p || !sched_choose(2, pc))
		return 0;
	*list = header_of(p)->size;
	return p;
}

static void keep_freed(uintptr_t p, pc_t pc)
{
	struct header *h = header_of(p);
	uintptr_t *list = &freed[class_of(h->capacity16 * 16ull)];
	tell_class(list, pc);
	h->size = *list;
	*list = p;
}

static void set_bytes(uintptr_t p, int byte, uint64_t size)
{
	rt_memset((void *)p, byte, size);
	rt_memset((void *)SHADOW(p), byte, size);
}

/* What is not cleared may be asked to contain something else. */
static void fill_fresh(uintptr_t p, int fill, uint64_t size)
{
	set_bytes(p, fill, size);
	uintptr_t from = g.session->fill_from, to = g.session->fill_to;
	if (from >= p + size || to <= p || !fill)
		return;
	if (FAULT(FRESH_MEMORY_NOT_VARIED))
		return;
	from = from > p ? from : p;
	to = to < p + size ? to : p + size;
	if (FAULT(FRESH_BLOCK_FILLED_WHOLE)) {
		from = p;
		to = p + size;
	}
	set_bytes(from, (int)g.session->fill_byte, to - from);
}

/* `again`: a freed block to be used; 0: none. */
static uintptr_t take(uint64_t size, uint64_t alignment, int fill, uintptr_t again)
{
	if (size > ARENA_SLOTS / 4 * ARENA_HEAP_PART)
		return 0;
	uint64_t capacity = capacity_for(size);
	uint32_t slot = own_slot();
	uintptr_t p = again;
	if (!p && alignment <= 16 && capacity < LARGE) {
		uintptr_t *list = &parts[slot].reusable[class_of(capacity)];
		p = *list;
		if (p)
			*list = *(uintptr_t *)p;
	}
	if (!p)
		p = take_new(slot, capacity, alignment < 16 ? 16 : alignment);
	if (!p)
		return 0;
	*header_of(p) = (struct header){
		.size = size,
		.capacity16 = (uint32_t)(capacity / 16),
		.slot = (uint16_t)slot,
		.flags = alignment > 16 ? BLOCK_ALIGNED : 0,
	};
	if (capacity < LARGE) {
		fill_fresh(p, fill, capacity);
	} else if (dirty_end && dirty_end[slot] > p) {
		clear_large(p, dirty_end[slot] - p < capacity ? dirty_end[slot] - p : capacity);
	}
	known_forget(p, capacity);
	uint8_t *state = state_of(p);
	rt_memset(state, HEAP_INSIDE, capacity / 16);
	*state = HEAP_START;
	return p;
}

/* The oldest freed block leaves the quarantine. */
static void recycle(void)
{
	uintptr_t p = quarantine[quarantine_head++ % QUARANTINE_BLOCKS];
	struct header *h = header_of(p);
	uint64_t capacity = h->capacity16 * 16ull;
	quarantine_bytes -= capacity;
	if (capacity >= LARGE) {
		uintptr_t from = (p + 4095) & ~4095ull, to = (p + capacity) & ~4095ull;
		if (to > from) {
			sys3(SYS_madvise, from, to - from, MADV_DONTNEED);
			sys3(SYS_madvise, SHADOW(from), to - from, MADV_DONTNEED);
		}
		return;
	}
	if (h->flags & BLOCK_ALIGNED)
		return;
	uintptr_t *list = &parts[h->slot].reusable[class_of(capacity)];
	*(uintptr_t *)p = *list;
	*list = p;
}

static void mark_freed(uintptr_t p)
{
	uint8_t *state = state_of(p);
	rt_memset(state, HEAP_FREED, header_of(p)->capacity16);
	*state = HEAP_FREED_START;
}

static void give_back(uintptr_t p)
{
	uint64_t capacity = header_of(p)->capacity16 * 16ull;
	quarantine[quarantine_tail++ % QUARANTINE_BLOCKS] = p;
	quarantine_bytes += capacity;
	while (quarantine_bytes > QUARANTINE_BYTES ||
	       quarantine_tail - quarantine_head == QUARANTINE_BLOCKS)
		recycle();
}

void heap_check_range(uintptr_t p, size_t size, bool is_write, bool is_plain, pc_t pc)
{
	for (uintptr_t q = p & ~15ull; q < p + size && heap_contains(q); q += 16) {
		if (heap_state(q) <= HEAP_INSIDE)
			continue;
		bool is_pure = g.cur->step.is_pure;
		if (FAULT(FAILED_LIBC_ACCESS_SYNCHRONISES))
			is_pure = false;
		if (is_plain || is_pure)
			explore_plain_access_fails();
		rt_fail(is_write ? FAIL_WRITE_FREED : FAIL_READ_FREED, p, size, pc);
	}
}

static uintptr_t block_start(uintptr_t p)
{
	const uint8_t *s = state_of(p);
	while (*s == HEAP_INSIDE || *s == HEAP_FREED)
		s--;
	return ARENA_HEAP + (((uintptr_t)s - HEAP_STATE_BASE) << 4);
}

bool heap_is_of_loader(uintptr_t p)
{
	return heap_state(p) != HEAP_NONE && header_of(block_start(p))->flags & BLOCK_OF_LOADER;
}

static bool is_live(uintptr_t p)
{
	return heap_contains(p) && (heap_state(p) == HEAP_START || heap_state(p) == HEAP_INSIDE);
}

size_t heap_room(uintptr_t p)
{
	if (!is_live(p))
		return 0;
	uintptr_t start = block_start(p), end = start + header_of(start)->size;
	return p < end ? end - p : 0;
}

uintptr_t heap_block_of_library(uintptr_t p)
{
	if (!is_live(p))
		return 0;
	uintptr_t start = block_start(p);
	return header_of(start)->flags & BLOCK_OF_LIBRARY ? start : 0;
}

void heap_mark_sync(uintptr_t p)
{
	if (heap_contains(p) && heap_state(p) != HEAP_NONE)
		header_of(block_start(p))->flags |= BLOCK_HAS_SYNC;
}

/* ---- restart in place (explore_snapshot.h) ---- */

void heap_mark(void)
{
	marked_next = parts[0].next;
	dirty_end = rt_map_kept(ARENA_SLOTS * sizeof(*dirty_end));
	snapshot_add(ARENA_HEAP, marked_next - ARENA_HEAP, true);
	for (uint32_t i = 0; i < early_count; i++)
		if (heap_state(early[i].block) == HEAP_START && rt_is_libc_code(early[i].pc))
			snapshot_keep(early[i].block,
				      header_of(early[i].block)->capacity16 * 16ull);
	snapshot_add((uintptr_t)state_of(ARENA_HEAP), (marked_next - ARENA_HEAP) / 16, false);
}

/* Not if a part was too small, or freed blocks have been used again. */
bool heap_can_rewind(void)
{
	return !extra_parts && !quarantine_head;
}

void heap_rewind(uint32_t slots)
{
	for (uint32_t slot = 0; slot < slots; slot++) {
		struct part *p = &parts[slot];
		uintptr_t from = slot ? ARENA_HEAP + slot * ARENA_HEAP_PART : marked_next;
		if (p->next > from)
			rt_memset(state_of(from), HEAP_NONE, (p->next - from) / 16);
		if (p->next > dirty_end[slot])
			dirty_end[slot] = p->next;
		p->next = from;
	}
}

/* ---- the interface ---- */

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

/* Those of code without hooks are put back as a whole when the program begins again: nobody tells
 * what is written there.  If they are too many to be known, all of them are taken for such. */
static void note_early(uintptr_t p, pc_t pc)
{
	if (g.session->policy != POLICY_EXPLORE)
		return;
	if (!early)
		early = rt_map_kept(EARLY_MAX * sizeof(*early));
	if (early_count < EARLY_MAX)
		early[early_count++] = (struct early){ p, pc };
	else
		snapshot_keep(p, header_of(p)->capacity16 * 16ull);
}

static void *allocate(uint64_t size, uint64_t alignment, bool zero, pc_t pc)
{
	bool controlled = enter(pc);
	int fill = zero ? 0 : WIRE_FRESH_FILL;
	uintptr_t again = 0;
	if (controlled && alignment <= 16 && size < LARGE && may_reuse(capacity_for(size), pc))
		again = take_freed(capacity_for(size), pc);
	uintptr_t p = take(size, alignment, fill, again);
	if (!p) {
		errno = ENOMEM;
		return NULL;
	}
	if (size >= LARGE)
		fill = 0;
	if (controlled && module_is_loader(pc))
		header_of(p)->flags |= BLOCK_OF_LOADER;
	else if (rt_is_libc_code(pc))
		header_of(p)->flags |= BLOCK_OF_LIBRARY;
	if (unlikely(!g.active && !g.internal))
		note_early(p, pc);
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

/* The wrong function is undefined behaviour that works with most heaps, ours too: told, and the
 * run goes on. */
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

static void release(uintptr_t p, enum heap_family by, pc_t pc)
{
	if (is_child())
		return;
	bool controlled = enter(pc);
	if (!heap_contains(p)) {
		if (controlled && ((p >= ARENA_STACKS && p < ARENA_END) || shadow_is_module(p)))
			rt_fail(FAIL_INVALID_FREE, p, 0, pc);
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
	mark_freed(p);
	if (controlled && !(h->flags & BLOCK_ALIGNED) && may_reuse(h->capacity16 * 16ull, pc))
		keep_freed(p, pc);
	else
		give_back(p);
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
		/* In place, or a buffer that grows byte by byte would be copied, and told, as
		 * many times. */
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
	/* What libc moves is not told to anybody yet: the wrapper of its caller reports the result.
	 */
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

static void *aligned(size_t alignment, size_t size, pc_t pc)
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
	void *p = aligned(alignment, size, PC);
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
	return aligned(alignment, size, PC);
}

RT_EXPORT void *memalign(size_t alignment, size_t size)
{
	if (!is_power_of_two(alignment)) {
		errno = EINVAL;
		return NULL;
	}
	return aligned(alignment, size, PC);
}

RT_EXPORT void *valloc(size_t size)
{
	return aligned(4096, size, PC);
}

RT_EXPORT void *pvalloc(size_t size)
{
	return aligned(4096, (size + 4095) & ~4095ul, PC);
}

RT_EXPORT size_t malloc_usable_size(void *block)
{
	if (!block)
		return 0;
	if (heap_contains((uintptr_t)block))
		return header_of((uintptr_t)block)->size;
	return REAL_FN(malloc_usable_size)(block);
}
