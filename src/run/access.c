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
 * 2. A cell changes only by compare-and-swap, so no access is overwritten unseen.  If the swap
 *    fails the thread continues as if the cell had been of no use to it.
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
 * 6. Two racing accesses may both load the cells before either has stored its own.  A thread that
 *    takes a new cell rescans the set after that (recheck_conflicts), so the one that stores
 *    second finds the first.  A thread that replaces a cell of its own was found by the other
 *    one, unless the cell was gone already and the swap failed.
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
#include "run/run.h"
#include "run/shadow.h"
#include "run/stamp.h"
#include "run/thr.h"

/*
 * Most accesses that are not recorded yet are to further bytes beside those that the thread has
 * accessed with the same stamp and kind, and conflict with no cell.  True if that is so and the
 * cell has the bytes now.
 */
static inline bool extend_own_cell(uint32_t *cells, uint32_t mine)
{
	cells4 all = *(const cells4 *)cells, bytes = all & (mine & CELL_BYTES);
	cells4 is_same =
		(cells4)(((all ^ mine) & 0xfffffc03u) == 0) & (cells4)((all & CELL_BYTES) != 0);
	cells4 is_against = (cells4)(bytes != 0) & ~is_same;
	if (!(mine & CELL_WRITE))
		is_against &= (cells4)((all & CELL_WRITE) != 0);
	unsigned same = (unsigned)__builtin_ia32_pmovmskb128((bytes16)is_same);
	if (!same || __builtin_ia32_pmovmskb128((bytes16)is_against))
		return false;
	unsigned i = (unsigned)__builtin_ctz(same) / 4;
	return cell_change(&cells[i], all[i], all[i] | mine);
}

/*
 * The access replaces the superfluous cells; false if a cell has changed and the access must be
 * checked again.  *is_new: it has a new cell.
 */
static inline bool replace_cells(struct thr *t, uint32_t *cells, cells4 all, unsigned is_free,
				 unsigned superfluous, uint32_t mine, bool *is_new)
{
	*is_new = !superfluous;
	if (!superfluous) {
		cell_take(t, cells, is_free ? __builtin_ctz(is_free) : -1, mine);
		return true;
	}
	unsigned i = (unsigned)__builtin_ctz(superfluous);
	if (!cell_change(&cells[i], all[i], mine))
		return false;
	while (superfluous &= superfluous - 1) {
		i = (unsigned)__builtin_ctz(superfluous);
		cell_change(&cells[i], all[i], 0);
	}
	return true;
}

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

/*
 * store_checked for the case without conflicts: the thread holds no lock, and every cell is its
 * own, without locks, or does not conflict.  Which cell belongs to which thread is unpredictable
 * for the processor, so the cells are classified without branches.  False: not that case, nothing
 * is done.
 */
static inline bool store_uncontended(struct thr *t, uint32_t *cells, uint32_t resets, uint32_t mine,
				     bool *is_new)
{
	if (CELLS != 4 || t->held_count)
		return false;
	cells4 all = *(const cells4 *)t->hazards;
	if (mine & CELL_ATOMIC && unlikely(mixed_atomics(all, mine & CELL_BYTES)))
		return false;
	unsigned is_free = bits_of(all == 0), over = bits_of((all & mine & CELL_BYTES) != 0);
	/* The record before a block of the heap has no stamps (heap.c). */
	if (unlikely(bits_of((all & CELL_BYTES) == 0) & ~is_free))
		return false;
	unsigned is_present = bits_of((all & 0xfffffc00u) == (mine & 0xfffffc00u));
	unsigned can_conflict = bits_of((cells4)(((all | mine) & CELL_WRITE) != 0) &
					(cells4)((all & mine & CELL_ATOMIC) == 0));
	/* is_stronger(mine, cell), without the bytes */
	unsigned is_weaker =
		bits_of(((all & ~mine & CELL_WRITE) | (mine & ~all & CELL_ATOMIC)) == 0);
	unsigned is_larger = bits_of((all & ~mine & CELL_BYTES) != 0);
	unsigned own = 0, bare = 0;
	uint16_t slot = t->slot;
#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++) {
		uint64_t owner = owner_of(all[i]);
		own |= (unsigned)((uint16_t)owner == slot) << i;
		bare |= (unsigned)(owner == slot) << i;
	}
	unsigned superfluous = over & own & is_weaker;
	if (is_present | (over & ~own & can_conflict) | (superfluous & (~bare | is_larger)))
		return false;
	if (mine & CELL_ATOMIC)
		remember_own(t, cells, resets, all, own & ~superfluous, bare, mine);
	return replace_cells(t, cells, all, is_free, superfluous, mine, is_new);
}

/*
 * The same for an atomic access to a granule that has only atomic accesses, if the cells of the
 * thread itself are known.  Then the stamps of the other cells are not needed.  They were written
 * by other processors lately, and to load them would take longer than everything else.
 */
static inline bool store_known(struct thr *t, uint32_t *cells, uint32_t resets, uint32_t mine,
			       bool *is_new)
{
	struct own_atomics *k = own_atomics_of(t, cells);
	if (CELLS != 4 || t->held_count || k->cells != cells || k->resets != resets)
		return false;
	cells4 all = *(const cells4 *)t->hazards;
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
		return false;
	unsigned superfluous = (load | (is_store ? store : 0)) & ~is_free;
	k->load = is_store ? 0 : mine;
	k->store = is_store ? mine : k->store;
	return replace_cells(t, cells, all, is_free, superfluous, mine, is_new);
}

/* To has_new_conflict: extend_own_cell has found no conflicting cells. */
static const uint32_t no_cells[CELLS];

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
	if (base && CELLS == 4 && !(flags & CELL_ATOMIC) && extend_own_cell(cells, base | wanted)) {
		history_access(t, address, size, flags, pc);
		if (unlikely(has_new_conflict(cells, no_cells, base | wanted))) {
			hazards_begin(t);
			recheck_conflicts(t, cells, base | wanted, address, size, pc);
			hazards_end(t);
		}
		return;
	}
	hazards_begin(t);
	uint32_t resets = hazard_load_cells(t, cells);
	if (unlikely(resets != t->late.resets_seen))
		late_receive_all(t);
	base = thr_base(t); /* handlers are deferred now */
	uint32_t mine = (base ? base : stamp_now(t) << 10) | wanted;
	bool is_atomic = flags & CELL_ATOMIC;
	bool is_new;
	if ((is_atomic && store_known(t, cells, resets, mine, &is_new)) ||
	    store_uncontended(t, cells, resets, mine, &is_new)) {
		history_access(t, address, size, flags, pc);
	} else {
		if (is_atomic)
			own_atomics_of(t, cells)->cells = NULL;
		is_new = store_checked(t, cells, mine, address, size, pc);
	}
	WIDEN(1);
	if (is_new && unlikely(has_new_conflict(cells, t->hazards, mine)))
		recheck_conflicts(t, cells, mine, address, size, pc);
	hazards_end(t);
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
