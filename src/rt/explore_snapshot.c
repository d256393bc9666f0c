/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process as it was before the program's main, for executions that begin again in place.
 *
 * Saved and put back: writable segments of all modules except what the dynamic linker has made
 * read-only, the thread block and variables of the main thread, arguments and environment, blocks
 * that constructors allocated, and the runtime's own state (section heddle_state).  What lies in an
 * instrumented module or in the heap has its shadow put back, too.  Areas of more than WHOLE_MAX
 * bytes are not copied for each execution: every write of the program's to them is in the list of
 * operations (an execution with writes out of our sight is not restarted in place), so only those
 * bytes are.  In the heap there are two more writers. Code without hooks writes blocks of its own,
 * which are pieces that are always put back (snapshot_keep()); libc's list of exit handlers is one.
 * And the runtime writes the header of a block that is freed, resized or used again, which is in
 * the list, too.
 *
 * Not saved because it is written before it is read again: the arena's heap (a new block is filled;
 * heap.c looks after large ones), stacks (cleared as far as they were used), entries of the
 * runtime's tables beyond their counts.  Memory that the runtime takes meanwhile comes from a
 * reserve that is cleared.
 */
#include "rt/explore.h"
#include "rt/explore_snapshot.h"
#include "wire/fault.h"
#include "rt/heap.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/sys.h"
#include "wire/explore.h"
#include "wire/wire.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#define AREAS 512
#define RARE_MAX 8
#define PIECES 0x10000
#define WHOLE_MAX 0x40000ull
#define RESERVE 0x40000000ull
#define CLEAR_MAX 0x40000ull /* of the reserve: more than that is given back to the kernel */

struct area {
	uintptr_t start;
	size_t size;
	char *memory, *shadow; /* copies; shadow NULL: there is none that matters */
	bool is_whole;
	bool is_library;	 /* its shadow changes only if the program looks into it */
	const bool *has_changed; /* NULL: it may always have */
};

static RT_KEPT struct area areas[AREAS];
static RT_KEPT uint32_t area_count;
static RT_KEPT struct piece {
	uintptr_t start;
	size_t size;
} * pieces;
static RT_KEPT struct rare {
	uintptr_t start;
	size_t size;
	const bool *has_changed;
} rare[RARE_MAX]; /* by address */
static RT_KEPT uint32_t rare_count;
static RT_KEPT uint32_t piece_count;
static RT_KEPT bool is_complete, has_too_many_pieces;
static RT_KEPT char *reserve;
static RT_STATE size_t reserve_used;
static RT_STATE bool saw_library;

extern char __start_heddle_state[], __stop_heddle_state[];

/* ---- the reserve ---- */

void *snapshot_reserve(size_t bytes)
{
	size_t align = bytes < 4096 ? 64 : 4096, at = (reserve_used + align - 1) & ~(align - 1);
	if (!reserve || bytes > RESERVE - at)
		return NULL;
	reserve_used = at + bytes;
	return reserve + at;
}

bool snapshot_owns(const void *p)
{
	return reserve && (uintptr_t)p - (uintptr_t)reserve < RESERVE;
}

static void clear_reserve(size_t used)
{
	if (used > CLEAR_MAX)
		sys3(SYS_madvise, reserve, used, MADV_DONTNEED);
	else
		rt_memset(reserve, 0, used);
}

/* ---- saving ---- */

static struct area *add_area(uintptr_t start, size_t size, bool has_shadow)
{
	if (!size || area_count == AREAS) {
		is_complete = is_complete && !size;
		return NULL;
	}
	struct area *a = &areas[area_count++];
	*a = (struct area){ .start = start,
			    .size = size,
			    .is_whole = size <= WHOLE_MAX || !has_shadow };
	a->memory = rt_map_kept(size);
	rt_memcpy(a->memory, (const void *)start, size);
	if (!has_shadow)
		return a;
	a->shadow = rt_map_kept(size);
	rt_memcpy(a->shadow, (const void *)SHADOW(start), size);
	return a;
}

void snapshot_add(uintptr_t start, size_t size, bool has_shadow)
{
	add_area(start, size, has_shadow);
}

void snapshot_keep(uintptr_t start, size_t size)
{
	if (!pieces)
		pieces = rt_map_kept(PIECES * sizeof(*pieces));
	if (piece_count < PIECES)
		pieces[piece_count++] = (struct piece){ start, size };
	else
		has_too_many_pieces = true;
}

void snapshot_rare(void *table, size_t size, const bool *has_changed)
{
	uint32_t i = rare_count;
	if (i == RARE_MAX)
		return;
	for (; i && rare[i - 1].start > (uintptr_t)table; i--)
		rare[i] = rare[i - 1];
	rare[i] = (struct rare){ (uintptr_t)table, size, has_changed };
	rare_count++;
}

/* The rare tables, and then the rest of the runtime's state, which tells whether they have
 * changed. */
static void add_state(uintptr_t start, uintptr_t end)
{
	for (uint32_t i = 0; i < rare_count; i++) {
		struct area *a = add_area(rare[i].start, rare[i].size, false);
		if (a)
			a->has_changed = rare[i].has_changed;
	}
	for (uint32_t i = 0; i < rare_count; i++) {
		add_area(start, rare[i].start - start, false);
		start = rare[i].start + rare[i].size;
	}
	add_area(start, end - start, false);
}

static void add_piece(uintptr_t start, uintptr_t end, void *is_library)
{
	struct area *a = add_area(start, end - start, true);
	if (!a || !*(bool *)is_library)
		return;
	a->is_library = true;
	a->is_whole = true; /* writes of a library are not in the list */
}

static int snapshot_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	uintptr_t read_only = 0;
	if (rt_streq(info->dlpi_name, "linux-vdso.so.1"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
			read_only = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
				     info->dlpi_phdr[i].p_memsz) &
				    ~0xfffull;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr, end = start + ph->p_memsz;
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_W))
			continue;
		if (read_only > start && read_only <= end)
			start = read_only;
		bool is_library = !shadow_is_module(start);
		module_outside_runtime(start, end, add_piece, &is_library);
	}
	return 0;
}

bool snapshot_take(void)
{
	is_complete = !has_too_many_pieces;
	reserve = rt_map_kept(RESERVE);
	g.internal++;
	real_dl_iterate_phdr(snapshot_module, NULL);
	g.internal--;
	snapshot_add((uintptr_t)g.cur, sizeof(*g.cur), false);
	/* The last one: what follows must not change any state. */
	add_state((uintptr_t)__start_heddle_state, (uintptr_t)__stop_heddle_state);
	return is_complete;
}

void snapshot_saw(uintptr_t addr)
{
	if (addr - g.modules_low < g.modules_size && !shadow_is_module(addr))
		saw_library = true;
}

bool snapshot_is_whole(void)
{
	for (uint32_t i = 0; i < area_count; i++)
		if (!areas[i].is_whole)
			return false;
	return true;
}

/* ---- putting back ---- */

static void put_back(const struct area *a, uintptr_t start, size_t size)
{
	uintptr_t end = start + size;
	if (end <= a->start || start >= a->start + a->size)
		return;
	start = start < a->start ? a->start : start;
	end = end > a->start + a->size ? a->start + a->size : end;
	rt_memcpy((void *)start, a->memory + (start - a->start), end - start);
	rt_memcpy((void *)SHADOW(start), a->shadow + (start - a->start), end - start);
}

static void put_back_pending(const struct area *a, const struct pending *p)
{
	if (p->size)
		put_back(a, p->addr, p->size);
}

/* What the list says was written there, and what was about to be written when the execution ended.
 */
static void put_back_written(const struct area *a, const struct wire_op *ops,
			     const struct wire_op *end)
{
	OPS_EACH (op, ops, end - ops) {
		if (op->kind == EV_WRITE || op->kind == EV_RMW || op->kind == EV_FLUSH)
			put_back(a, op->object, op->size);
		else if (op->kind == EV_ALLOC || op->kind == EV_FREE || op->kind == EV_RESIZE)
			put_back(a, op->object - HEAP_HEADER, op->size + HEAP_HEADER);
	}
	for (uint32_t i = 0; i < piece_count; i++) {
		if (FAULT(LIBC_HEAP_WRITES_NOT_RESTORED))
			break;
		put_back(a, pieces[i].start, pieces[i].size);
	}
	put_back_pending(a, &g.pend);
	put_back_pending(a, &g.late);
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		put_back_pending(a, &rt_threads_live[i]->saved.late);
}

/* A rare table; what tells is state that is put back after it. */
static bool is_unchanged(const struct area *a)
{
	if (FAULT(RARE_STATE_NOT_RESTORED) && a->has_changed)
		return true;
	return a->has_changed && !*a->has_changed;
}

void snapshot_restore(void)
{
	const struct wire_explore *x = explore_shared();
	const struct wire_op *ops = (const void *)((const char *)x + x->ops_offset);
	/* the tool may be writing the next plan already */
	const struct wire_op *ops_end = g.op_next;
	size_t used = reserve_used;
	bool looked_into_library = saw_library;
	for (uint32_t i = 0; i < area_count; i++)
		if (!areas[i].is_whole)
			put_back_written(&areas[i], ops, ops_end);
	for (uint32_t i = 0; i < area_count; i++) {
		const struct area *a = &areas[i];
		if (!a->is_whole || is_unchanged(a))
			continue;
		rt_memcpy((void *)a->start, a->memory, a->size);
		if (a->shadow && (!a->is_library || looked_into_library))
			rt_memcpy((void *)SHADOW(a->start), a->shadow, a->size);
	}
	clear_reserve(used);
}
