/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of a controlled run: heap=fresh.  Each thread slot has a part of its own at a fixed
 * address and takes new memory from its end. So allocations of different threads are independent,
 * and no address is used twice until the quarantine of freed blocks exceeds its bound. A map with
 * one byte for each 16 bytes of heap has the state of each piece, far from the program's data,
 * where small overruns do not reach it: it detects use after free, double and invalid free.
 *
 * Fresh memory is filled with WIRE_FRESH_FILL.  The session may name a range of addresses that gets
 * another byte: the tool compares two such executions to find whether those bytes matter. Large
 * blocks are left zero as the kernel gives them.  Blocks of HEAP_LARGE bytes and more are never
 * reused, their pages are given back.
 *
 * heap=reuse: a block that the program frees may be returned again at once, to the thread that next
 * requests one of its class; whether it is, is a choice. Heaps with shared lists behave so, and ABA
 * errors need it.
 *
 * A call from the program's own code is a scheduling point; a call from inside libc is not, since
 * libc may hold locks.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>

#include "rt/chunk.h"
#include "rt/explore.h"
#include "rt/explore_snapshot.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/heap.h"
#include "rt/heap_block.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define QUARANTINE_BYTES (256ull << 20)
#define QUARANTINE_BLOCKS (1u << 20)
#define CLASSES 512

struct heap_part {
	uintptr_t next, end;
	uintptr_t reusable[CLASSES]; /* lists through the first word of the block */
};

static RT_STATE struct heap_part *parts; /* ARENA_SLOTS */
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

/* Blocks that were made before control began, and the callers. */
#define EARLY_MAX 0x10000
static RT_KEPT struct early {
	uintptr_t block;
	pc_t pc;
} * early;
static RT_KEPT uint32_t early_count;

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
	struct heap_part *p = &parts[slot];
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
uint64_t heap_capacity_for(uint64_t size)
{
	uint64_t step = 16;
	if (size > 1024)
		step = 1ull << (63 - __builtin_clzll(size) - 3);
	uint64_t capacity = (size + step - 1) / step * step;
	return capacity ? capacity : 16;
}

static unsigned size_class(uint64_t capacity)
{
	if (capacity <= 1024)
		return (unsigned)(capacity / 16);
	unsigned power = 63 - (unsigned)__builtin_clzll(capacity);
	return 64 + (power - 10) * 8 + (unsigned)((capacity >> (power - 3)) & 7);
}

/* New memory at the end of a slot's part; 0 if there is none. */
static uintptr_t take_new(uint32_t slot, uint64_t capacity, uint64_t alignment)
{
	struct heap_part *part = &parts[slot];
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
bool heap_may_reuse(uint64_t capacity, pc_t pc)
{
	return g.session->heap == HEAP_REUSE && capacity < HEAP_LARGE && !rt_is_libc_code(pc);
}

/* malloc and free of one class cannot change places. */
static void report_class(const uintptr_t *list, pc_t pc)
{
	explore_hidden((uintptr_t)list, 0, 1, pc);
}

/* The block of this class that was freed last, if there is one and it is chosen. */
uintptr_t heap_take_freed(uint64_t capacity, pc_t pc)
{
	uintptr_t *list = &freed[size_class(capacity)], p = *list;
	report_class(list, pc);
	if (!p || !sched_choose(2, pc))
		return 0;
	*list = header_of(p)->size;
	return p;
}

void heap_keep_freed(uintptr_t p, pc_t pc)
{
	struct header *h = header_of(p);
	uintptr_t *list = &freed[size_class(h->capacity16 * 16ull)];
	report_class(list, pc);
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
uintptr_t heap_take_block(uint64_t size, uint64_t alignment, int fill, uintptr_t again)
{
	if (size > ARENA_SLOTS / 4 * ARENA_HEAP_PART)
		return 0;
	uint64_t capacity = heap_capacity_for(size);
	uint32_t slot = own_slot();
	uintptr_t p = again;
	if (!p && alignment <= 16 && capacity < HEAP_LARGE) {
		uintptr_t *list = &parts[slot].reusable[size_class(capacity)];
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
	if (capacity < HEAP_LARGE) {
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
	if (capacity >= HEAP_LARGE) {
		uintptr_t from = (p + 4095) & ~4095ull, to = (p + capacity) & ~4095ull;
		if (to > from) {
			sys3(SYS_madvise, from, to - from, MADV_DONTNEED);
			sys3(SYS_madvise, SHADOW(from), to - from, MADV_DONTNEED);
		}
		return;
	}
	if (h->flags & BLOCK_ALIGNED)
		return;
	uintptr_t *list = &parts[h->slot].reusable[size_class(capacity)];
	*(uintptr_t *)p = *list;
	*list = p;
}

void heap_mark_freed(uintptr_t p)
{
	uint8_t *state = state_of(p);
	rt_memset(state, HEAP_FREED, header_of(p)->capacity16);
	*state = HEAP_FREED_START;
}

void heap_free_block(uintptr_t p)
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

/* Blocks of code without hooks are put back as a whole when the program begins again, since
 * writes there are not listed. If there are more than EARLY_MAX, the rest is treated as such. */
void heap_note_early(uintptr_t p, pc_t pc)
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
		struct heap_part *p = &parts[slot];
		uintptr_t from = slot ? ARENA_HEAP + slot * ARENA_HEAP_PART : marked_next;
		if (p->next > from)
			rt_memset(state_of(from), HEAP_NONE, (p->next - from) / 16);
		if (p->next > dirty_end[slot])
			dirty_end[slot] = p->next;
		p->next = from;
	}
}
