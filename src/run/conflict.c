/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An access and the conflicting accesses of other threads: edges between sections, reports, and
 * orders that follow from what a read saw.
 *
 * Order of steps for one access: join the release clocks of all conflicting sections; compare the
 * access with each conflicting cell; apply the edges that follow from racing pairs; take a cell;
 * notify racing readers.  Edges take effect after all pairs have been compared, since otherwise
 * the edge of one pair would hide another pair.  access.c states the invariants.
 */
#include "run/conflict.h"

#include "run/cells.h"
#include "run/clock.h"
#include "run/fault.h"
#include "run/found.h"
#include "run/hazard.h"
#include "run/history.h"
#include "run/late.h"
#include "run/lock.h"
#include "run/object.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/stacks.h"
#include "run/stamp.h"
#include "run/thr.h"

/*
 * Actions of other threads that are before the access in the weak order although their threads
 * published nothing:
 *
 * - A read that saw a racing write cannot be moved before it (OVPredict 2.4, the optional
 *   reads-from edge).
 * - An atomic write cannot be moved before an atomic access that did not see it (atomic.c).  The
 *   object of the location knows these accesses, except those from before it existed and those to
 *   other bytes.  These are found in the cells, under the guard of the object and directly before
 *   the write (access_before_store); a thread that reads under that guard has stored its cell
 *   before.
 */
struct predecessors {
	unsigned count;
	struct {
		uint16_t slot;
		uint32_t epoch;
	} at[CELLS];
};

static inline void add_predecessor(struct predecessors *b, const struct stamp *s)
{
	b->at[b->count].slot = stamp_slot(s);
	b->at[b->count++].epoch = s->epoch;
}

static __attribute__((noinline)) void order_after_predecessors(struct thr *t,
							       const struct predecessors *b)
{
	for (unsigned i = 0; i < b->count; i++)
		clock_order_after(t, run_state.slots[b->at[i].slot], b->at[i].epoch);
}

static enum finding_act act_of(const struct thr *t, uint32_t flags)
{
	if (t->is_vptr_access)
		return flags & CELL_WRITE ? ACT_SET_VPTR : ACT_USE_VPTR;
	return flags & CELL_WRITE ? ACT_WRITE : ACT_READ;
}

/* Two conflicting accesses; the older one is not before the younger one in both orders. */
static __attribute__((noinline)) void found_race(struct thr *t, const struct stamp *s,
						 uint32_t cell, uint32_t mine, uintptr_t address,
						 unsigned size, uintptr_t pc)
{
	bool is_ordered = seen_hb(t, stamp_slot(s), s->epoch);
	if (is_ordered &&
	    (!run_state.options.is_predicting || is_before_reset(stamp_slot(s), s->epoch)))
		return;
	struct found f = {
		.kind = FINDING_RACE,
		.status = is_ordered ? RUN_PREDICTED : RUN_UNORDERED,
		.address = address,
		.size = size,
		.thr = t,
		.act = act_of(t, mine),
		.is_atomic = mine & CELL_ATOMIC,
		.epoch = t->epoch,
		.stack = stack_now(t, pc),
		.past = cell_past(s, cell, CELL_MASK(mine), address),
	};
	run_found(&f);
}

/* `is_after`: the access is after the free; otherwise they are concurrent. */
static __attribute__((noinline)) void found_freed(struct thr *t, uint32_t cell, bool is_after,
						  uint32_t flags, uintptr_t address, unsigned size,
						  uintptr_t pc)
{
	struct found f = {
		.kind = FINDING_USE_AFTER_FREE,
		.status = is_after ? RUN_HAPPENED : RUN_UNORDERED,
		.address = address,
		.size = size,
		.thr = t,
		.act = act_of(t, flags),
		.is_atomic = flags & CELL_ATOMIC,
		.epoch = t->epoch,
		.stack = stack_now(t, pc),
		.past = cell_past(STAMP(CELL_STAMP(cell)), cell, 0xff, address),
	};
	run_found(&f);
}

/* Cells of other threads that conflict with the access, as they were loaded. */
struct conflicts {
	unsigned count;
	struct {
		uint32_t *cell, old;
		bool is_racing; /* set by check_conflicts */
	} at[CELLS];
};

/*
 * All sections that the access conflicts with are joined before any pair is compared, and what
 * was spilled.  What is received from one section may show that the access is inside another
 * section (nest.c), and then further ones count.
 */
static void join_conflicting_sections(struct thr *t, const struct conflicts *c)
{
	bool is_new = true;
	for (unsigned round = 0; is_new && round <= c->count; round++) {
		is_new = false;
		if (t->held_count)
			lock_catch_up(t);
		for (unsigned i = 0; i < c->count; i++) {
			if (FAULT(RUN_SECTIONS_NOT_JOINED))
				break;
			is_new |= lock_join_sections(t, STAMP(CELL_STAMP(c->at[i].old)));
		}
	}
}

static inline bool is_after(const struct thr *t, const struct stamp *s)
{
	struct tick seen = t->clock[stamp_slot(s)];
	return s->epoch <= seen.weak && s->epoch <= seen.hb;
}

/*
 * The thread that cancels another one is before what the cancelled one does (wrap_process.c).
 * This is more order than there is if the cancellation has not taken effect yet.
 */
static bool is_after_cancellation(struct thr *t, const struct stamp *s)
{
	struct object *m = object_find(t, t->handle);
	if (!m)
		return false;
	object_receive(t, m);
	object_put(m);
	return is_after(t, s);
}

/*
 * Compares the access with all conflicting cells: reports, collects predecessors, and replaces
 * superfluous cells.  Returns whether the access has a cell now.
 */
static bool check_conflicts(struct thr *t, struct conflicts *c, struct predecessors *before,
			    uint32_t mine, bool is_stored, uintptr_t address, unsigned size,
			    uintptr_t pc)
{
	for (unsigned i = 0; i < c->count; i++) {
		uint32_t *cell = c->at[i].cell, old = c->at[i].old;
		if (FAULT(RUN_JUDGES_NEW_CELL))
			old = cell_load(cell);
		const struct stamp *s = STAMP(CELL_STAMP(old));
		c->at[i].is_racing = !is_after(t, s) &&
				     !(run_state.has_cancelled && is_after_cancellation(t, s));
		if (unlikely(c->at[i].is_racing)) {
			found_race(t, s, old, mine, address, size, pc);
			/*
			 * A read and a write stay in their order: otherwise the read would see
			 * something else, and what follows it need not happen.
			 */
			if (run_state.options.sees_writes && (old ^ mine) & CELL_WRITE)
				add_predecessor(before, s);
		} else if (mine & CELL_WRITE && is_stronger(mine, old) &&
			   covers(t, CELL_STAMP(old))) {
			is_stored |= cell_change(cell, old, is_stored ? 0 : mine);
		}
	}
	return is_stored;
}

/*
 * A read that races with this write, whose cell is stored now.  The read has not loaded yet,
 * perhaps, and may see the write although its hook came first: the writer adds itself to the
 * reader's late writes.  And a repetition of the read must not be taken for the same one: the
 * reader gets a new stamp.  is_racing was decided before the write was ordered after the read
 * (order_after_predecessors).
 */
static void notify_readers(const struct thr *t, const struct conflicts *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		if (c->at[i].old & CELL_WRITE || !c->at[i].is_racing)
			continue;
		struct thr *reader = run_state.slots[stamp_owner(CELL_STAMP(c->at[i].old))->slot];
		if (run_state.options.sees_writes && run_state.options.is_predicting) {
			if (!FAULT(RUN_LATE_WRITES_NOT_SENT))
				late_add(reader, t);
		}
		__atomic_store_n(&reader->base, 0, __ATOMIC_RELEASE);
	}
}

/* A cell of the thread's own with some of the bytes: true if the access is in it now. */
static inline bool update_own_cell(struct thr *t, uint32_t *cell, uint32_t old, uint32_t mine,
				   bool is_stored)
{
	if (!((old ^ mine) & 0xfffffc03u))
		return is_stored || cell_change(cell, old, old | mine);
	if (!is_stronger(mine | CELL_BYTES, old) || !covers(t, CELL_STAMP(old)))
		return is_stored;
	/*
	 * The bytes that are accessed now do not need the older access.  But other threads need
	 * an atomic one even if they do not race with it (order_after_atomics), and the new
	 * access has no cell yet.
	 */
	uint32_t rest = old & ~(mine & CELL_BYTES);
	if (rest & CELL_BYTES) {
		bool is_narrowed = !(old & CELL_ATOMIC);
		if (FAULT(RUN_ATOMIC_CELL_NARROWED))
			is_narrowed = true;
		if (is_narrowed)
			cell_change(cell, old, rest);
		return is_stored;
	}
	return cell_change(cell, old, is_stored ? 0 : mine) || is_stored;
}

void recheck_conflicts(struct thr *t, uint32_t *cells, uint32_t mine, uintptr_t address,
		       unsigned size, uintptr_t pc)
{
	struct conflicts conflicts;
	struct predecessors before;
	conflicts.count = before.count = 0;
	hazard_load_cells(t, cells);
	if (unlikely(CELL_IS_FREED(t->hazards[0]))) {
		const struct stamp *s = STAMP(CELL_STAMP(t->hazards[0]));
		found_freed(t, t->hazards[0], seen_hb(t, stamp_slot(s), s->epoch), mine, address,
			    size, pc);
		return;
	}
	for (int i = 0; i < CELLS; i++) {
		uint32_t old = t->hazards[i];
		const struct stamp *s = STAMP(CELL_STAMP(old));
		if (!is_conflict(old, mine) || stamp_slot(s) == t->slot)
			continue;
		conflicts.at[conflicts.count].cell = &cells[i];
		conflicts.at[conflicts.count++].old = old;
	}
	join_conflicting_sections(t, &conflicts);
	check_conflicts(t, &conflicts, &before, mine, true, address, size, pc);
	if (before.count)
		order_after_predecessors(t, &before);
	if (mine & CELL_WRITE)
		notify_readers(t, &conflicts);
}

/*
 * No cell is free.  A read of another thread that is before this access, under locks that are held
 * now, is superfluous; it takes longer to find one than to use a free cell, and less long than to
 * spill the sections of a cell that is needed.
 */
static bool replace_foreign_read(struct thr *t, uint32_t *cells, uint32_t mine)
{
	for (int i = 0; i < CELLS; i++) {
		uint32_t old = t->hazards[i];
		if (!(old & mine & CELL_BYTES) || (old | mine) & CELL_ATOMIC || old & CELL_WRITE)
			continue;
		const struct stamp *s = STAMP(CELL_STAMP(old));
		if (stamp_slot(s) != t->slot && is_stronger(mine, old) && is_after(t, s) &&
		    covers(t, CELL_STAMP(old)) && cell_change(&cells[i], old, mine))
			return true;
	}
	return false;
}

bool store_checked(struct thr *t, uint32_t *cells, uint32_t mine, uintptr_t address, unsigned size,
		   uintptr_t pc)
{
	struct conflicts conflicts;
	struct predecessors before;
	conflicts.count = before.count = 0;
	bool is_locked = t->held_count, is_stored = false;
	int free = -1;
	if (is_locked && unlikely(is_foreign_stack(t, address)))
		lock_opaque(t);
	if (CELLS == 4 && mine & CELL_ATOMIC &&
	    mixed_atomics(*(const cells4 *)t->hazards, mine & CELL_BYTES))
		__atomic_store_n(&run_state.has_mixed_atomics, true, __ATOMIC_RELAXED);
	for (int i = 0; i < CELLS; i++) {
		uint32_t old = t->hazards[i];
		if (!old) {
			free = free < 0 ? i : free;
			continue;
		}
		if (!(old & mine & CELL_BYTES)) {
			/* Other bytes, same stamp and kind: one cell for both. */
			if (!((old ^ mine) & 0xfffffc03u) && CELL_MASK(old) && !is_stored &&
			    !(mine & CELL_ATOMIC)) {
				is_stored = cell_change(&cells[i], old, old | mine);
				continue;
			}
			if (unlikely(CELL_IS_FREED(old))) {
				found_freed(t, old, true, mine, address, size, pc);
				return false;
			}
			if (unlikely(CELL_IS_BLOCK(old)))
				return false;
			continue;
		}
		WIDEN(1);
		const struct stamp *s = STAMP(CELL_STAMP(old));
		if (stamp_slot(s) == t->slot) {
			if (CELL_STAMP(old) == CELL_STAMP(mine) && is_stronger(old, mine))
				return false;
			is_stored = update_own_cell(t, &cells[i], old, mine, is_stored);
		} else if (is_conflict(old, mine)) {
			conflicts.at[conflicts.count].cell = &cells[i];
			conflicts.at[conflicts.count++].old = old;
		}
	}
	WIDEN(1);
	/* Before the cell, so that a thread that finds the cell finds the history, too. */
	history_access(t, address, size, mine & (CELL_WRITE | CELL_ATOMIC), pc);
	if (is_locked || conflicts.count)
		join_conflicting_sections(t, &conflicts);
	if (conflicts.count)
		is_stored =
			check_conflicts(t, &conflicts, &before, mine, is_stored, address, size, pc);
	if (unlikely(before.count))
		order_after_predecessors(t, &before);
	bool is_new = !is_stored || conflicts.count;
	if (!is_stored && (free >= 0 || !replace_foreign_read(t, cells, mine)))
		cell_take(t, cells, free, mine);
	if (mine & CELL_WRITE && conflicts.count)
		notify_readers(t, &conflicts);
	return is_new;
}

static __attribute__((noinline)) void order_after_atomics(struct thr *t, const uint32_t *cells,
							  uint32_t bytes)
{
	struct predecessors before;
	before.count = 0;
	hazards_begin(t);
	hazard_load_cells(t, cells);
	for (int i = 0; i < CELLS; i++) {
		uint32_t old = t->hazards[i];
		if (!(old & bytes) || !(old & CELL_ATOMIC) ||
		    CELL_STAMP(old) == CELL_STAMP(thr_base(t)))
			continue;
		const struct stamp *s = STAMP(CELL_STAMP(old));
		/* The next epoch is known only if all of this one is (clock.c). */
		if (!seen_weak(t, stamp_slot(s), s->epoch + 1))
			add_predecessor(&before, s);
	}
	if (before.count)
		order_after_predecessors(t, &before);
	hazards_end(t);
}

void access_before_store(struct thr *t, uintptr_t address, unsigned size, bool is_known)
{
	if (!run_state.is_parallel || t->ignored)
		return;
	while (size) {
		unsigned part = 8 - (address & 7);
		part = part < size ? part : size;
		uint32_t bytes = ((1u << part) - 1) << (address & 7) << 2,
			 *cells = shadow_of(address);
		if (!is_known || CELLS != 4 || run_state.has_mixed_atomics ||
		    mixed_atomics(*(const volatile cells4 *)cells, bytes))
			order_after_atomics(t, cells, bytes);
		address += part;
		size -= part;
	}
}
