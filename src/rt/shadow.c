/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shadow: for every byte that hooks have touched, the content that the events so far explain.
 * It lies at a fixed distance from the memory itself (one exclusive-or), reserved sparsely for
 * the ranges where programs live and mapped on demand elsewhere.
 *
 * When a read finds other bytes than the shadow, somebody wrote without a hook.  For memory whose
 * life begins out of our sight (a stack frame reused, data and TLS of uninstrumented libraries,
 * variables of libc that the linker copied into the program) that is normal, and the event is
 * INITIAL; anywhere else it is OUTSIDE_WRITE, which withholds any claim of completeness.
 */
#include <sys/mman.h>

#include "rt/chunk.h"
#include "rt/event.h"
#include "rt/heap.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/thread.h"
#include "rt/sys.h"
#include "wire/wire.h"

#define TiB 0x10000000000ull
#define TLS_MAX 0x100000ull /* farthest variable below a thread pointer */

struct span {
	uintptr_t start, end;
};

/* Writable memory of instrumented modules, less what libc owns in it. */
#define SPANS 512
static RT_KEPT struct span owned[SPANS];
static RT_STATE unsigned owned_count;
static RT_KEPT struct span copied[SPANS];
static RT_STATE unsigned copied_count;
/* Thread blocks of instrumented modules, as offsets below the thread pointer. */
static RT_KEPT struct span tls[64];
static RT_STATE unsigned tls_count;

void shadow_init(void)
{
	/* Program at its usual places (position independent or not), libraries and mappings, the
	 * arena. */
	rt_map_at(SHADOW(0x550000000000ull), 2 * TiB);
	rt_map_at(SHADOW(0), 0x100000000ull);
	rt_map_at(SHADOW(0x7e8000000000ull), 0x7ffffffff000ull - 0x7e8000000000ull);
	rt_map_at(SHADOW(ARENA_HEAP), ARENA_END - ARENA_HEAP);
}

/* Where shadow lies, given where programs, libraries and the arena can. */
static bool is_shadow(uintptr_t addr)
{
	return (addr >= SHADOW(0) && addr < 0x400000000000ull) ||
	       (addr >= 0x580000000000ull && addr < 0x780000000000ull);
}

bool shadow_fault(uintptr_t addr)
{
	uintptr_t piece = addr & ~0x1fffffull;
	if (!is_shadow(addr))
		return false;
	/* Only where the memory that it shadows exists and no shadow does. */
	unsigned char resident;
	if (sys3(SYS_mincore, SHADOW(addr) & ~0xfffull, 4096, &resident) != 0)
		return false;
	long p = sys6(SYS_mmap, (long)piece, 0x200000, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	return p == (long)piece;
}

void shadow_snapshot(uintptr_t start, size_t size)
{
	rt_memcpy((void *)SHADOW(start), (const void *)start, size);
	known_forget(start, size);
}

static bool within(const struct span *spans, unsigned n, uintptr_t addr)
{
	for (unsigned i = 0; i < n; i++)
		if (addr >= spans[i].start && addr < spans[i].end)
			return true;
	return false;
}

bool shadow_is_module(uintptr_t addr)
{
	return within(owned, owned_count, addr);
}

bool shadow_is_tls(uintptr_t addr, uintptr_t fs)
{
	return fs - addr <= TLS_MAX && within(tls, tls_count, fs - addr);
}

/* Is a change of this byte without a hook something that we should have seen? */
bool shadow_is_ours(uintptr_t addr)
{
	if (addr >= ARENA_STACKS && addr < ARENA_ARGS) {
		/* Stacks begin new lives all the time; of the thread block only the program's own
		 * variables count. */
		for (unsigned i = 0; i < rt_threads_live_count; i++)
			if (shadow_is_tls(addr, rt_threads_live[i]->context.fs))
				return true;
		return false;
	}
	if (heap_contains(addr))
		return !heap_is_of_loader(addr);
	if ((addr >= ARENA_ARGS && addr < ARENA_END))
		return true;
	return within(owned, owned_count, addr) && !within(copied, copied_count, addr);
}

/* Take the memory's content over into shadow and trace. */
static void adopt(uintptr_t addr, size_t size, pc_t pc)
{
	unsigned kind = shadow_is_ours(addr) ? EV_OUTSIDE_WRITE : EV_INITIAL;
	rt_memcpy((void *)SHADOW(addr), (const void *)addr, size);
	ev_access(kind, (const void *)addr, size, MODE_PLAIN, 0, pc);
}

void shadow_mismatch(uintptr_t addr, size_t size, pc_t pc)
{
	/*
	 * Only the bytes that differ, as one run, but whole words of 8 where all of the word is
	 * read: the tool moves pointers into modules to canonical values, which it can only do if
	 * it sees all of a pointer.
	 */
	const unsigned char *memory = (const unsigned char *)addr,
			    *shadow = (const unsigned char *)SHADOW(addr);
	size_t first = 0, last = size;
	while (first < last && memory[first] == shadow[first])
		first++;
	while (last > first && memory[last - 1] == shadow[last - 1])
		last--;
	if (first == last)
		return;
	uintptr_t start = (addr + first) & ~7ull, end = (addr + last + 7) & ~7ull;
	start = start < addr ? addr : start;
	end = end > addr + size ? addr + size : end;
	adopt(start, end - start, pc);
}

/* ---- what the loaded modules own ---- */

static void note_copies(const struct dl_phdr_info *info, const ElfW(Dyn) * dyn)
{
	const ElfW(Rela) *rela = NULL;
	const ElfW(Sym) *symbols = NULL;
	size_t bytes = 0;
	for (; dyn->d_tag != DT_NULL; dyn++) {
		if (dyn->d_tag == DT_RELA)
			rela = (const void *)dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_RELASZ)
			bytes = dyn->d_un.d_val;
		else if (dyn->d_tag == DT_SYMTAB)
			symbols = (const void *)dyn->d_un.d_ptr;
	}
	for (size_t i = 0; rela && symbols && i < bytes / sizeof(*rela); i++) {
		if (ELF64_R_TYPE(rela[i].r_info) != R_X86_64_COPY || copied_count == SPANS)
			continue;
		uintptr_t start = info->dlpi_addr + rela[i].r_offset;
		copied[copied_count++] =
			(struct span){ start,
				       start + symbols[ELF64_R_SYM(rela[i].r_info)].st_size };
	}
}

/*
 * Variables that lie at a fixed distance below every thread pointer.  Those of a library that was
 * opened later and is not linked for that come from the dynamic linker's heap when a thread first
 * uses them.
 */
static void add_tls(uintptr_t first, size_t size, uintptr_t fs)
{
	uintptr_t distance = fs - first;
	struct span s = { distance - size + 1, distance + 1 };
	if (distance > TLS_MAX || within(tls, tls_count, distance) ||
	    tls_count == sizeof(tls) / sizeof(*tls))
		return;
	tls[tls_count++] = s;
	for (unsigned i = 0; i < rt_threads_live_count; i++)
		shadow_snapshot(rt_threads_live[i]->context.fs - distance, size);
}

static void drop_within(struct span *spans, unsigned *count, uintptr_t low, uintptr_t high)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < *count; i++)
		if (spans[i].start < low || spans[i].start >= high)
			spans[kept++] = spans[i];
	*count = kept;
}

void shadow_drop_module(uintptr_t low, uintptr_t high)
{
	drop_within(owned, &owned_count, low, high);
	drop_within(copied, &copied_count, low, high);
}

static void snapshot_piece(uintptr_t start, uintptr_t end, void *unused)
{
	(void)unused;
	shadow_snapshot(start, end - start);
}

void shadow_add_module(const struct dl_phdr_info *info, uintptr_t fs)
{
	uintptr_t relro_end = 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
			relro_end = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
				     info->dlpi_phdr[i].p_memsz) &
				    ~0xfffull;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr, end = start + ph->p_memsz;
		if (ph->p_type == PT_DYNAMIC)
			note_copies(info, (const void *)start);
		if (ph->p_type == PT_TLS && info->dlpi_tls_data)
			add_tls((uintptr_t)info->dlpi_tls_data, ph->p_memsz, fs);
		if (ph->p_type != PT_LOAD)
			continue;
		module_outside_runtime(start, end, snapshot_piece, NULL);
		if (!(ph->p_flags & PF_W) || owned_count == SPANS)
			continue;
		if (relro_end > start)
			start = relro_end;
		owned[owned_count++] = (struct span){ start, end };
	}
}
