/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an access does with the shadow: the fast paths, and the protocol of cells.
 *
 * An access first joins the release clocks of critical sections that conflict with it (the CCS
 * rule of OVPredict 2.4; the locks are in the stamps of the cells), then is compared with the
 * conflicting cells, then takes a cell.  It may replace the cell of an access that it makes
 * superfluous: every later access that would conflict with, or be ordered after a section of, the
 * old one has the same relation to the new one.  For that the new access must cover the bytes, be
 * of an equal or stronger kind, and, other than in a detector of happens-before races, be made
 * under all locks of the old one.  If no cell is free or superfluous, one is evicted and its
 * sections are kept in order by their locks (lock_spill).
 *
 * Threads access the cells of a granule at the same time, without a lock: in every program
 * threads read the same bytes, or use neighbouring ones.  What an access that is lost costs
 * depends on its locks.  Without a lock it costs a report.  In a critical section it also costs
 * the edge from that section, and then a pair may be predicted that the edge orders: a false
 * report.  Invariants:
 *
 * 1. A cell is loaded once.  What is compared, reported and replaced is that value.
 * 2. Cells change only by compare-and-swap, so no access is overwritten unseen.  In the case
 *    without conflicts all four cells of the granule are swapped at once; if that fails the access
 *    takes the path for conflicts.  There each cell is swapped by itself, and if that fails the
 *    thread continues as if the cell had been of no use to it.
 *    Exceptions: blocks that begin or end (shadow_clear, shadow_free), which only one thread
 *    owns; and a reset (stamp.c), which interrupts every processor, so that stores on their way
 *    arrive first.
 * 3. A cell is spilled before it is evicted, and a thread loads the cells before it receives what
 *    was spilled.  So a thread that does not find the cell finds the spilled section.
 * 4. Edges are needed from sections of locks that the thread holds in a conflicting mode.  Such a
 *    section ended, with all its cells stored, before the thread acquired the lock.  So it does
 *    not matter that the cells are not loaded at one moment: a cell of such a section disappears
 *    only if it is superfluous or evicted.
 * 5. Stamps in cells that were loaded keep their meaning until hazards_end (hazard.h).
 * 6. Two racing accesses may both load the cells before either has stored its own.  A swap of all
 *    cells fails if another access was stored meanwhile.  A thread that takes a single new cell
 *    rescans the set after that (recheck_conflicts), so the one that stores second finds the
 *    first.  A thread that replaces a cell of its own was found by the other one, unless the cell
 *    was gone already and the swap failed.  A free stores its mark without a swap: an access looks
 *    for the mark after it has changed the cells (is_freed_now).
 * 7. A thread may be preempted between the hook and the load of a read, or the hook and the store
 *    of a write, for arbitrarily long.  If the hook of the write comes second, the read may see
 *    the write all the same: the writer notifies the reader (notify_readers).
 *
 * Known gap: a read replaces its earlier cell at the same time as a racing write, which has seen
 * that cell in both orders, takes a new cell because it does not have all locks or bytes of it.
 */
#include "run/cells.h"
#include "run/conflict.h"
#include "run/fault.h"
#include "run/hazard.h"
#include "run/history.h"
#include "run/late.h"
#include "run/memory.h"
#include "run/object.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/stacks.h"
#include "run/stamp.h"
#include "run/thr.h"

static inline struct own_atomics *own_atomics_of(struct thr *t, const uint32_t *cells)
{
	return &t->own_atomics[((uintptr_t)cells >> 4 ^ (uintptr_t)cells >> 10) %
			       OWN_ATOMICS_CACHE];
}

/*
 * The access is about to be stored beside the cells `own`, which are all of the thread's; `bare`
 * are those without locks.
 */
static void remember_own(struct thr *t, const uint32_t *cells, uint32_t resets, cells4 all,
			 unsigned own, unsigned bare, uint32_t mine)
{
	struct own_atomics *k = own_atomics_of(t, cells);
	bool is_store = mine & CELL_WRITE;
	if (own & ~bare) {
		k->cells = NULL;
		return;
	}
	*k = (struct own_atomics){ cells, resets, is_store ? 0 : mine, is_store ? mine : 0 };
	for (; own; own &= own - 1) {
		uint32_t cell = all[__builtin_ctz(own)];
		if (!(cell & CELL_ATOMIC))
			continue;
		uint32_t *place = cell & CELL_WRITE ? &k->store : &k->load;
		if (*place)
			k->cells = NULL;
		*place = cell;
	}
}

/* What becomes of the cells of a granule, one bit for each. */
struct verdict {
	unsigned is_free;
	unsigned merged;      /* one that gets the bytes of the access */
	unsigned superfluous; /* the access takes one of them, and the others become free */
	unsigned narrowed;    /* those that lose the bytes of the access */
};

/* Lanes by bits. */
static inline cells4 lanes_of(unsigned bits)
{
	cells4 all = { bits, bits, bits, bits };
	return (cells4)((all & (cells4){ 1, 2, 4, 8 }) != 0);
}

/*
 * The access takes its cell; false if there is none, or if a cell has changed.  All cells are
 * compared and changed at once, so that no access can appear in between.
 */
static inline __attribute__((always_inline)) bool apply_verdict(uint32_t *cells, cells4 all,
								struct verdict v, uint32_t mine)
{
	unsigned chosen = v.merged	  ? v.merged
			  : v.superfluous ? v.superfluous & -v.superfluous
					  : v.is_free & -v.is_free;
	if (unlikely(!chosen))
		return false;
	if (chosen & v.is_free & 1)
		cells_populate(cells);
	cells4 is_chosen = lanes_of(chosen), is_kept = ~lanes_of(chosen | v.superfluous),
	       is_merged = lanes_of(v.merged);
	cells4 now = (all & is_kept) | (is_chosen & (mine | (all & is_merged)));
	if (unlikely(v.narrowed))
		now &= ~(lanes_of(v.narrowed) & (mine & CELL_BYTES));
	return granule_change(cells, all, now);
}

/* Is everything that was done with stamps of this batch before what t does now, in both orders? */
static inline bool is_over(const struct thr *t, const struct stamp_owner *o)
{
	uint32_t over = __atomic_load_n(&o->over, __ATOMIC_ACQUIRE);
	struct tick seen = t->clock[o->slot];
	return over <= seen.weak && over <= seen.hb;
}

/*
 * Decides about the cells `overlapping`, which have some of the access' bytes and are the
 * thread's own or conflict.  False if one conflicts and its batch of stamps is not over.  If it is
 * over, the access it stands for need not be looked up: whatever the new access could be compared
 * with or ordered after is before it in any case.
 */
static inline __attribute__((always_inline)) bool judge_cells(const struct thr *t, cells4 all,
							      unsigned overlapping, unsigned own,
							      uint32_t mine, struct verdict *v)
{
	for (; overlapping; overlapping &= overlapping - 1) {
		unsigned i = (unsigned)__builtin_ctz(overlapping), bit = 1u << i;
		uint32_t old = all[i];
		bool is_own = own & bit, is_same = !((old ^ mine) & 0xfffffc00u);
		if (is_own ? is_same && is_stronger(old, mine)
			   : !is_over(t, stamp_owner(CELL_STAMP(old))))
			return false;
		/* A read does not replace what another thread did. */
		if (bit & v->merged || !is_stronger(mine | CELL_BYTES, old) ||
		    !(is_own || mine & CELL_WRITE))
			continue;
		bool is_larger = old & ~mine & CELL_BYTES;
		if (is_larger && (!is_own || old & CELL_ATOMIC))
			continue;
		if (!is_same && !covers(t, CELL_STAMP(old)))
			continue;
		if (is_larger)
			v->narrowed |= bit;
		else
			v->superfluous |= bit;
	}
	return true;
}

/*
 * Most accesses that are not recorded yet are to further bytes beside those that the thread has
 * accessed with the same stamp and kind, and conflict with no cell: that cell gets the bytes.  Most
 * others are to a granule that only this thread uses: all cells have stamps of its present batch,
 * which no other thread can reuse meanwhile, so they need not be protected (hazard.h).  False:
 * neither; nothing is done.
 */
static inline bool store_own(struct thr *t, uint32_t *cells, uint32_t mine, uintptr_t address)
{
	cells4 all = *(const volatile cells4 *)cells, bytes = all & (mine & CELL_BYTES);
	cells4 is_access = (cells4)((all & CELL_BYTES) != 0);
	cells4 is_same = (cells4)(((all ^ mine) & 0xfffffc03u) == 0) & is_access;
	cells4 is_against = (cells4)(bytes != 0) & ~is_same;
	if (!(mine & CELL_WRITE))
		is_against &= (cells4)((all & CELL_WRITE) != 0);
	unsigned same = bits_of(is_same), over = bits_of((cells4)(bytes != 0));
	struct verdict v = { .merged = same & -same };
	if (same && !bits_of(is_against))
		return apply_verdict(cells, all, v, mine);
	cells4 is_own = is_access & (cells4)(((all ^ mine) & ~STAMP_BATCH_CELLS) == 0);
	v.is_free = bits_of(all == 0);
	return (bits_of(is_own) | v.is_free) == 0xf &&
	       __atomic_load_n(&run_state.resets, __ATOMIC_RELAXED) == t->late.resets_seen &&
	       !(t->held_count && is_foreign_stack(t, address)) &&
	       judge_cells(t, all, over, over, mine, &v) && apply_verdict(cells, all, v, mine);
}

static inline unsigned find_own(const struct thr *t, cells4 all)
{
	unsigned own = 0;
#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++)
		own |= (unsigned)(stamp_owner(CELL_STAMP(all[i]))->slot == t->slot) << i;
	return own;
}

/* Those of the thread's own cells that were made without locks. */
static inline unsigned find_bare(cells4 all, unsigned own)
{
	unsigned bare = 0;
	for (; own; own &= own - 1) {
		unsigned i = (unsigned)__builtin_ctz(own);
		bare |= (unsigned)!stamp_locks[CELL_STAMP(all[i])] << i;
	}
	return bare;
}

/*
 * All cells are in use.  A read of another thread that is before this access, under locks that
 * are held now, is superfluous: to know that takes longer than to use a free cell.  0: there is
 * none.
 */
static __attribute__((noinline)) unsigned find_superfluous(const struct thr *t, cells4 all,
							   unsigned foreign, uint32_t mine)
{
	for (; foreign; foreign &= foreign - 1) {
		uint32_t old = all[__builtin_ctz(foreign)];
		if (is_stronger(mine, old) && !((old | mine) & CELL_ATOMIC) &&
		    is_over(t, stamp_owner(CELL_STAMP(old))) && covers(t, CELL_STAMP(old)))
			return foreign & -foreign;
	}
	return 0;
}

/*
 * store_checked for the case that nothing has to be compared or received.  Which cell belongs to
 * which thread is unpredictable for the processor, so cells that do not matter are sorted out
 * without branches.  False: not that case, nothing is done.
 */
static inline bool store_uncontended(struct thr *t, uint32_t *cells, uint32_t resets, uint32_t mine,
				     uintptr_t address)
{
	if (CELLS != 4)
		return false;
	cells4 all = *(const cells4 *)t->hazards;
	bool is_atomic = mine & CELL_ATOMIC;
	unsigned is_free = bits_of(all == 0), over = bits_of((all & mine & CELL_BYTES) != 0);
	/* The record before a block of the heap has no stamps (heap.c). */
	if (unlikely(bits_of((all & CELL_BYTES) == 0) & ~is_free))
		return false;
	if (t->held_count &&
	    (is_atomic || lock_needs_to_catch_up(t) || is_foreign_stack(t, address)))
		return false;
	if (is_atomic && (bits_of((all & 0xfffffc00u) == (mine & 0xfffffc00u)) ||
			  mixed_atomics(all, mine & CELL_BYTES)))
		return false;
	unsigned same = bits_of(((all ^ mine) & 0xfffffc03u) == 0);
	unsigned can_conflict = bits_of((cells4)(((all | mine) & CELL_WRITE) != 0) &
					(cells4)((all & mine & CELL_ATOMIC) == 0));
	unsigned own = find_own(t, all) & ~is_free;
	struct verdict v = { .is_free = is_free, .merged = same & -same };
	if (!judge_cells(t, all, over & (own | can_conflict), own, mine, &v))
		return false;
	if (unlikely(!(v.is_free | v.merged | v.superfluous)))
		v.superfluous = find_superfluous(t, all, over & ~own, mine);
	if (!apply_verdict(cells, all, v, mine))
		return false;
	if (is_atomic)
		remember_own(t, cells, resets, all, own & ~v.superfluous, find_bare(all, own),
			     mine);
	return true;
}

/*
 * All cells are in use.  One whose access was made without a lock can be given up at once: there is
 * no section to be spilled (cell_evict).  0: the one that was drawn has locks.
 */
static inline unsigned draw_without_locks(struct thr *t, cells4 all, uint32_t resets)
{
	t->random = t->random * 1664525 + 1013904223;
	unsigned i = t->random >> 16 & 3;
	*(volatile cells4 *)t->hazards = all;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE) != resets)
		return 0;
	return stamp_locks[CELL_STAMP(all[i])] ? 0 : 1u << i;
}

/*
 * The same for an atomic access to a granule that has only atomic accesses, if the cells of the
 * thread itself are known.  Then the stamps of the other cells are not needed.  They were written
 * by other processors lately, and to load them would take longer than everything else.  So no
 * stamp needs to be protected either.  If the shadow is reset after they have been compared, the
 * cells have changed: only this thread can store its own again.  Returns the cell, 0: not that
 * case.
 */
static inline uint32_t store_known(struct thr *t, uint32_t *cells, uint32_t wanted)
{
	struct own_atomics *k = own_atomics_of(t, cells);
	if (CELLS != 4 || t->held_count || k->cells != cells)
		return 0;
	cells4 all = *(const volatile cells4 *)cells;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	uint32_t resets = __atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE);
	if (k->resets != resets || resets != t->late.resets_seen)
		return 0;
	uint32_t base = thr_base(t), mine = (base ? base : stamp_now(t) << 10) | wanted;
	unsigned is_free = bits_of(all == 0);
	unsigned is_plain = ~is_free & bits_of((cells4)((all & CELL_ATOMIC) == 0) |
					       (cells4)((all & CELL_BYTES) == 0));
	bool is_store = mine & CELL_WRITE;
	unsigned load = bits_of(all == k->load), store = bits_of(all == k->store);
	/* other bytes, or recorded already */
	bool is_other = (k->load && ((k->load ^ mine) & CELL_BYTES)) ||
			(k->store && ((k->store ^ mine) & CELL_BYTES)) ||
			CELL_STAMP(k->load) == CELL_STAMP(mine) ||
			CELL_STAMP(k->store) == CELL_STAMP(mine);
	if (is_plain || is_other || mixed_atomics(all, mine & CELL_BYTES))
		return 0;
	struct verdict v = { .is_free = is_free,
			     .superfluous = (load | (is_store ? store : 0)) & ~is_free };
	if (!(is_free | v.superfluous))
		v.superfluous = draw_without_locks(t, all, resets);
	if (!apply_verdict(cells, all, v, mine))
		return 0;
	k->load = is_store ? 0 : mine;
	k->store = is_store ? mine : k->store;
	return mine;
}

/* The access of access_granule if other threads use the granule, too, or it is atomic. */
static __attribute__((noinline)) void access_shared(struct thr *t, uint32_t *cells, uint32_t wanted,
						    uintptr_t address, unsigned size, uintptr_t pc)
{
	hazards_begin(t); /* handlers are deferred now */
	bool is_atomic = wanted & CELL_ATOMIC;
	uint32_t known = is_atomic ? store_known(t, cells, wanted) : 0;
	if (known) {
		history_access(t, address, size, wanted & CELL_FLAGS, pc);
		WIDEN(1);
		if (unlikely(is_freed_now(cells)))
			recheck_conflicts(t, cells, known, address, size, pc);
		hazards_end(t);
		return;
	}
	uint32_t resets = hazard_load_cells(t, cells);
	if (unlikely(resets != t->late.resets_seen))
		late_receive_all(t);
	uint32_t base = thr_base(t);
	uint32_t mine = (base ? base : stamp_now(t) << 10) | wanted;
	bool is_changed;
	if (store_uncontended(t, cells, resets, mine, address)) {
		history_access(t, address, size, wanted & CELL_FLAGS, pc);
		WIDEN(1);
		is_changed = is_freed_now(cells);
	} else {
		if (is_atomic)
			own_atomics_of(t, cells)->cells = NULL;
		bool is_new = store_checked(t, cells, mine, address, size, pc);
		WIDEN(1);
		is_changed = is_new && has_new_conflict(cells, t->hazards, mine);
	}
	if (unlikely(is_changed))
		recheck_conflicts(t, cells, mine, address, size, pc);
	hazards_end(t);
}

static __attribute__((noinline)) void access_again(struct thr *t, uint32_t *cells, uint32_t mine,
						   uintptr_t address, unsigned size, uintptr_t pc)
{
	hazards_begin(t);
	recheck_conflicts(t, cells, mine, address, size, pc);
	hazards_end(t);
}

void access_granule(struct thr *t, uint32_t *cells, uintptr_t address, unsigned size,
		    uint32_t flags, uintptr_t pc)
{
	if (unlikely(t->ignored))
		return;
	/*
	 * The compare-and-swap on a cell is a full barrier: without the first prefetch the
	 * program's own access would start to load only after it.  The cells are fetched for
	 * writing.
	 */
	__builtin_prefetch((const void *)address);
	run_prefetch(cells);
	uint32_t wanted = ((1u << size) - 1) << (address & 7) << 2 | flags, base = thr_base(t);
	if (CELLS != 4 || unlikely(!base || flags & CELL_ATOMIC) ||
	    !store_own(t, cells, base | wanted, address)) {
		access_shared(t, cells, wanted, address, size, pc);
		return;
	}
	history_access(t, address, size, flags, pc);
	if (unlikely(is_freed_now(cells)))
		access_again(t, cells, base | wanted, address, size, pc);
}

void access_any(struct thr *t, uintptr_t address, unsigned size, uint32_t flags, uintptr_t pc)
{
	while (size) {
		unsigned part = 8 - (address & 7);
		part = part < size ? part : size;
		access_granule(t, shadow_of(address), address, part, flags, pc);
		address += part;
		size -= part;
	}
}

void access_range(struct thr *t, uintptr_t address, size_t size, uint32_t flags, uintptr_t pc)
{
	while (size) {
		unsigned part = 8 - (address & 7);
		part = part < size ? part : (unsigned)size;
		uint32_t *cells = shadow_of(address);
		if (!is_recorded(cells, t->base | ((1u << part) - 1) << (address & 7) << 2 | flags))
			access_granule(t, cells, address, part, flags, pc);
		address += part;
		size -= part;
	}
}
