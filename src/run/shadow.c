/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadow memory: the last accesses to each eight bytes, and what an access means for them.
 *
 * An access to a location first joins the release clocks of critical sections that conflict with
 * it (the CCS rule of OVPredict 2.4, here from the locks in the stamps of the cells), then is
 * compared with the conflicting cells, then takes a cell.  It may take that of an access which it
 * makes superfluous: every later access that would conflict with, or be ordered after a section
 * of, the old one has the same relation to the new one.  That needs more than in a detector of
 * happens-before races, where covered bytes and an equal or stronger kind suffice: the locks of
 * the old access must be held by the new one, too.  If no cell is free or superfluous, one is
 * given up and its sections are kept in order by their locks (lock_spill).
 *
 * Why this is right while other threads work on the same cells, without a lock around them.  Two
 * threads are at the same eight bytes at the same time in every program: they read the same, or
 * their bytes are neighbours. An access that is lost costs a report if it was made without a
 * lock; if it was made in a critical section it also costs the edge from that section, and then a
 * pair is predicted which that edge orders.  Therefore:
 *
 * - A cell is loaded once.  What is judged, what is reported, and what a change replaces is that
 *   value.
 * - A cell changes only by compare-and-swap, so that nobody's access is overwritten unseen.  Who
 *   fails goes
 *   on as if the cell had never been of use to him.
 * - Blocks that begin or end (shadow_clear, shadow_free) are nobody else's business.  Clearing
 *   all (stamp.c) interrupts every processor, and what was on its way arrives before that.
 * - A cell that is given up is spilled first and replaced then; a scan of the cells comes first
 *   and the look at what was spilled then.  So whoever does not find the cell any more finds the
 *   spilled section.
 * - An edge is needed from sections of locks that the thread holds, in a conflicting mode: such a
 *   section was over, with all its cells stored, before the thread got the lock.  It does not
 *   matter that the four cells are not read at one moment: a cell of such a section goes only if
 *   it is superfluous or given up.
 * - The numbers of stamps in cells that were loaded stay what they are until the thread has done
 *   with them (stamp.c).
 * - Two accesses that race may look before either has its cell.  Who takes another cell than one
 *   of his own from before looks again when he has it (meet_company), and the second finds the
 *   first.  Who takes one of his own from before was seen by the other, unless it was gone
 *   already and his change failed.
 * - A read stands between its hook and its load, and a write between its hook and its store, for
 *   as long as it pleases others.  If the write's hook comes second the read may see it all the
 *   same: the reader is told (tell_readers).
 *
 * What remains: a read takes its cell from before in the same moment in which a racing write,
 * which has seen that one in both orders, takes another because it has not its locks or not all
 * of its bytes.
 */
#include "run/cells.h"
#include "run/looks.h"

#define CLEAR_BY_PAGES (64u << 10)

void shadow_init(void)
{
	stamp_init();
	sync_init();
}

struct past cell_past(const struct stamp *s, uint32_t cell, uint32_t bytes, uintptr_t address)
{
	uint32_t mask = CELL_MASK(cell) & bytes;
	unsigned first = mask ? (unsigned)__builtin_ctz(mask) : 0;
	return (struct past){
		.stamp = CELL_STAMP(cell),
		.slot = s->slot,
		.epoch = s->epoch,
		.act = CELL_IS_FREED(cell) ? ACT_FREE
		       : cell & CELL_WRITE ? ACT_WRITE
					   : ACT_READ,
		.is_atomic = cell & CELL_ATOMIC,
		.address = (address & ~7ull) + first,
		.size = mask ? 32 - (unsigned)__builtin_clz(mask) - first : 0,
	};
}

/*
 * Actions of others that are before the access in the weak order, although nothing that their
 * threads did says so:
 *
 * - A read that saw a racy write cannot be moved before it (OVPredict 2.4, the optional reads-from
 *   edge).
 * - An atomic write cannot be moved before an atomic access that did not see it (atomic.c).  The
 *   location's
 *   object knows these, except those from before there was an object and those to other bytes:
 *   they are looked for here, under the guard of the object, directly before the write
 *   (access_before_store).  Who reads under it has stored his cell before.
 *
 * What follows from this takes effect when all pairs of the access have been judged.
 */
struct before {
	unsigned count;
	struct {
		uint16_t slot;
		uint32_t epoch;
	} at[CELLS];
};

static inline void add_before(struct before *b, const struct stamp *s)
{
	b->at[b->count].slot = s->slot;
	b->at[b->count++].epoch = s->epoch;
}

static __attribute__((noinline)) void see_before(struct thr *t, const struct before *b)
{
	for (unsigned i = 0; i < b->count; i++)
		clock_see(t, g.slots[b->at[i].slot], b->at[i].epoch);
}

/* Two conflicting accesses of which the older is not seen. */
static __attribute__((noinline)) void found_race(struct thr *t, const struct stamp *s,
						 uint32_t cell, uint32_t mine, uintptr_t address,
						 unsigned size, uintptr_t pc)
{
	bool is_ordered = seen_hb(t, s->slot, s->epoch);
	if (is_ordered && (!g.options.is_predicting || is_wiped(s->slot, s->epoch)))
		return;
	struct found f = {
		.kind = FINDING_RACE,
		.status = is_ordered ? RUN_PREDICTED : RUN_UNORDERED,
		.address = address,
		.size = size,
		.thr = t,
		.act = mine & CELL_WRITE ? ACT_WRITE : ACT_READ,
		.is_atomic = mine & CELL_ATOMIC,
		.epoch = t->epoch,
		.stack = stack_now(t, pc),
		.past = cell_past(s, cell, CELL_MASK(mine), address),
	};
	run_found(&f);
}

/* `is_after`: the access comes after the free; otherwise they met, and either may be first. */
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
		.act = flags & CELL_WRITE ? ACT_WRITE : ACT_READ,
		.is_atomic = flags & CELL_ATOMIC,
		.epoch = t->epoch,
		.stack = stack_now(t, pc),
		.past = cell_past(STAMP(CELL_STAMP(cell)), cell, 0xff, address),
	};
	run_found(&f);
}

/*
 * An atomic load that loses its cell is not looked for by the next store any more.  Without locks
 * it would be for nothing: what follows the load may be late as well, until after the store and
 * what follows that.  With locks the sections of both are in order because they are spilled.
 */
static __attribute__((noinline)) void give_up(struct thr *t, uint32_t *cell, uint32_t mine)
{
	uint32_t old;
	do {
		old = look_at(t, LOOK_CELL, cell);
		if (old && !FAULT(3))
			lock_spill(t, STAMP(CELL_STAMP(old)));
	} while (!change(cell, old, mine));
}

/*
 * A page of shadow is read first, and then the kernel shows one page of zeros for all of them.
 * The write that follows makes it change that, and tell all processors.  So the neighbours get
 * their memory at once.
 */
static __attribute__((noinline)) void populate(uintptr_t part)
{
	uint8_t *byte = (uint8_t *)PARTS_BASE + (part >> 3), bit = (uint8_t)(1u << (part & 7));
	if (!(__atomic_fetch_or(byte, bit, __ATOMIC_RELAXED) & bit))
		run_populate(SHADOW_BASE + part * SHADOW_PART, SHADOW_PART);
}

static void take_cell(struct thr *t, uint32_t *cells, int free, uint32_t mine)
{
	uintptr_t part = ((uintptr_t)cells - SHADOW_BASE) / SHADOW_PART;
	if (!free && CELLS == 4 &&
	    unlikely(!(((const uint8_t *)PARTS_BASE)[part >> 3] >> (part & 7) & 1)))
		populate(part);
	for (int i = free < 0 ? CELLS : free; i < CELLS; i++)
		if (!load(&cells[i]) && change(&cells[i], 0, mine))
			return;
	t->random = t->random * 1664525 + 1013904223;
	give_up(t, &cells[(t->random >> 16) % CELLS], mine);
}

/* The older access' locks are held now, too: mostly it is the same one lock. */
static inline bool covers(const struct thr *t, const struct stamp *s)
{
	if (!s->lock || FAULT(2))
		return true;
	const struct held *top = &t->held[t->held_count - 1];
	return t->held_count && ((!s->outer && top->lock == s->lock && top->mode == HOLD_WRITE) ||
				 lock_covers(t, s));
}

/* Cells of other threads that conflict with the access, as they were found. */
struct conflicts {
	unsigned count;
	struct {
		uint32_t *cell, old;
		bool is_racing; /* said by judge */
	} at[CELLS];
};

/*
 * All sections that the access conflicts with are joined before any pair is judged, and what was
 * spilled.  What one of them hands over may say that the access is inside of another section
 * (nest.c), and then further ones count.
 */
static void join_sections(struct thr *t, const struct conflicts *c)
{
	bool is_new = true;
	for (unsigned round = 0; is_new && round <= c->count; round++) {
		is_new = false;
		if (t->held_count)
			lock_catch_up(t);
		for (unsigned i = 0; i < c->count && !FAULT(1); i++)
			is_new |= lock_joins(t, STAMP(CELL_STAMP(c->at[i].old)));
	}
}

static inline bool is_after(const struct thr *t, const struct stamp *s)
{
	struct tick seen = t->clock[s->slot];
	return s->epoch <= seen.weak && s->epoch <= seen.hb;
}

/* What may have cancelled it is before what it does (wrap_process.c): more order if it has not yet.
 */
static bool is_after_cancellation(struct thr *t, const struct stamp *s)
{
	struct sync *m = sync_find(t, t->handle);
	if (!m)
		return false;
	sync_receive(t, m);
	sync_put(m);
	return is_after(t, s);
}

static bool judge(struct thr *t, struct conflicts *c, struct before *before, uint32_t mine,
		  bool is_stored, uintptr_t address, unsigned size, uintptr_t pc)
{
	for (unsigned i = 0; i < c->count; i++) {
		uint32_t *cell = c->at[i].cell, old = FAULT(10) ? load(cell) : c->at[i].old;
		const struct stamp *s = STAMP(CELL_STAMP(old));
		c->at[i].is_racing =
			!is_after(t, s) && !(g.has_cancelled && is_after_cancellation(t, s));
		if (unlikely(c->at[i].is_racing)) {
			found_race(t, s, old, mine, address, size, pc);
			/*
			 * A read and a write stay in their order: otherwise the read would see
			 * something else, and what follows it need not happen.
			 */
			if (g.options.sees_writes && (old ^ mine) & CELL_WRITE)
				add_before(before, s);
		} else if (mine & CELL_WRITE && is_stronger(mine, old) && covers(t, s)) {
			is_stored |= change(cell, old, is_stored ? 0 : mine);
		}
	}
	return is_stored;
}

/*
 * A racing read that is yet to see this write, which has its cell now, must not be taken for a
 * repetition of an earlier one: it gets a new stamp.  And it may see the write although its hook
 * came first.  Whether the read raced was decided before the write was ordered after it
 * (see_before).
 */
static void tell_readers(const struct thr *t, const struct conflicts *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		if (c->at[i].old & CELL_WRITE || !c->at[i].is_racing)
			continue;
		struct thr *reader = g.slots[STAMP(CELL_STAMP(c->at[i].old))->slot];
		if (g.options.sees_writes && g.options.is_predicting && !FAULT(23))
			late_add(reader, t);
		__atomic_store_n(&reader->base, 0, __ATOMIC_RELEASE);
	}
}

/* A cell of the thread's own with some of the bytes: true if the access is in it now. */
static inline bool renew(struct thr *t, uint32_t *cell, uint32_t old, uint32_t mine, bool is_stored)
{
	if (!((old ^ mine) & 0xfffffc03u))
		return is_stored || change(cell, old, old | mine);
	if (!is_stronger(mine | 0x3fc, old) || !covers(t, STAMP(CELL_STAMP(old))))
		return is_stored;
	/*
	 * The bytes that are accessed now need the older access no more.  But an atomic one is
	 * looked for by others who do not race with it (see_atomics), and the new one has no cell
	 * yet.
	 */
	uint32_t rest = old & ~(mine & 0x3fc);
	if (rest & 0x3fc) {
		if (!(old & CELL_ATOMIC) || FAULT(19))
			change(cell, old, rest);
		return is_stored;
	}
	return change(cell, old, is_stored ? 0 : mine) || is_stored;
}

/*
 * Most accesses that are not there already are to further bytes beside those that the thread has
 * accessed with the same stamp and in the same way, and no cell has anything against it: true if
 * that was so and the cell has them now.
 */
static inline bool extend(uint32_t *cells, uint32_t mine)
{
	cells4 all = *(const cells4 *)cells, bytes = all & (mine & 0x3fc);
	cells4 is_same = (cells4)(((all ^ mine) & 0xfffffc03u) == 0) & (cells4)((all & 0x3fc) != 0);
	cells4 is_against = (cells4)(bytes != 0) & ~is_same;
	if (!(mine & CELL_WRITE))
		is_against &= (cells4)((all & CELL_WRITE) != 0);
	unsigned same = (unsigned)__builtin_ia32_pmovmskb128((bytes16)is_same);
	if (!same || __builtin_ia32_pmovmskb128((bytes16)is_against))
		return false;
	unsigned i = (unsigned)__builtin_ctz(same) / 4;
	return change(&cells[i], all[i], all[i] | mine);
}

/*
 * The access has its cell.  If another one was on its way to one at the same time neither has
 * found the other's; whoever is second finds it now.
 */
static __attribute__((noinline)) void meet_company(struct thr *t, uint32_t *cells, uint32_t mine,
						   uintptr_t address, unsigned size, uintptr_t pc)
{
	struct conflicts conflicts;
	struct before before;
	conflicts.count = before.count = 0;
	look_at_cells(t, cells);
	if (unlikely(CELL_IS_FREED(t->looked_at[0]))) {
		const struct stamp *s = STAMP(CELL_STAMP(t->looked_at[0]));
		found_freed(t, t->looked_at[0], seen_hb(t, s->slot, s->epoch), mine, address, size,
			    pc);
		return;
	}
	for (int i = 0; i < CELLS; i++) {
		uint32_t old = t->looked_at[i];
		const struct stamp *s = STAMP(CELL_STAMP(old));
		if (!is_conflict(old, mine) || s->slot == t->slot)
			continue;
		conflicts.at[conflicts.count].cell = &cells[i];
		conflicts.at[conflicts.count++].old = old;
	}
	join_sections(t, &conflicts);
	judge(t, &conflicts, &before, mine, true, address, size, pc);
	if (before.count)
		see_before(t, &before);
	if (mine & CELL_WRITE)
		tell_readers(t, &conflicts);
}

/* True if it has a new cell, or met others. */
static __attribute__((noinline)) bool compare_and_keep(struct thr *t, uint32_t *cells,
						       uint32_t mine, uintptr_t address,
						       unsigned size, uintptr_t pc)
{
	struct conflicts conflicts;
	struct before before;
	conflicts.count = before.count = 0;
	bool is_locked = t->held_count, is_stored = false;
	int free = -1;
	if (is_locked && unlikely(is_foreign_stack(t, address)))
		lock_opaque(t);
	if (CELLS == 4 && mine & CELL_ATOMIC &&
	    odd_atomics(*(const cells4 *)t->looked_at, mine & 0x3fc))
		__atomic_store_n(&g.has_odd_atomics, true, __ATOMIC_RELAXED);
	for (int i = 0; i < CELLS; i++) {
		uint32_t old = t->looked_at[i];
		if (!old) {
			free = free < 0 ? i : free;
			continue;
		}
		if (!(old & mine & 0x3fc)) {
			/* Other bytes with the same stamp and in the same way: one cell for both.
			 */
			if (!((old ^ mine) & 0xfffffc03u) && CELL_MASK(old) && !is_stored &&
			    !(mine & CELL_ATOMIC)) {
				is_stored = change(&cells[i], old, old | mine);
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
		if (s->slot == t->slot) {
			if (CELL_STAMP(old) == CELL_STAMP(mine) && is_stronger(old, mine))
				return false;
			is_stored = renew(t, &cells[i], old, mine, is_stored);
		} else if (is_conflict(old, mine)) {
			conflicts.at[conflicts.count].cell = &cells[i];
			conflicts.at[conflicts.count++].old = old;
		}
	}
	WIDEN(1);
	/* First, so that a thread that finds the new cell and reports it finds its place, too. */
	history_access(t, address, size, mine & (CELL_WRITE | CELL_ATOMIC), pc);
	if (is_locked || conflicts.count)
		join_sections(t, &conflicts);
	if (conflicts.count)
		is_stored = judge(t, &conflicts, &before, mine, is_stored, address, size, pc);
	if (unlikely(before.count))
		see_before(t, &before);
	bool is_new = !is_stored || conflicts.count;
	if (!is_stored)
		take_cell(t, cells, free, mine);
	if (mine & CELL_WRITE && conflicts.count)
		tell_readers(t, &conflicts);
	return is_new;
}

/*
 * The access takes the place of the superfluous cells; false if it must be looked at again.
 * *is_new: it has a new cell.
 */
static inline bool replace(struct thr *t, uint32_t *cells, cells4 all, unsigned is_free,
			   unsigned superfluous, uint32_t mine, bool *is_new)
{
	*is_new = !superfluous;
	if (!superfluous) {
		take_cell(t, cells, is_free ? __builtin_ctz(is_free) : -1, mine);
		return true;
	}
	unsigned i = (unsigned)__builtin_ctz(superfluous);
	if (!change(&cells[i], all[i], mine))
		return false;
	while (superfluous &= superfluous - 1) {
		i = (unsigned)__builtin_ctz(superfluous);
		change(&cells[i], all[i], 0);
	}
	return true;
}

static inline struct known *known_of(struct thr *t, const uint32_t *cells)
{
	return &t->known[((uintptr_t)cells >> 4 ^ (uintptr_t)cells >> 10) % KNOWN_CACHE];
}

/*
 * The access is about to be kept beside the cells `own`, which are all of the thread's; `bare`
 * are those without locks.
 */
static void know(struct thr *t, const uint32_t *cells, uint32_t wipes, cells4 all, unsigned own,
		 unsigned bare, uint32_t mine)
{
	struct known *k = known_of(t, cells);
	bool is_store = mine & CELL_WRITE;
	if (own & ~bare) {
		k->cells = NULL;
		return;
	}
	*k = (struct known){ cells, wipes, is_store ? 0 : mine, is_store ? mine : 0 };
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
 * compare_and_keep where there is nothing to judge: the thread holds no lock, and whatever it
 * meets is either its own, without locks, or does not conflict.  Which cell is whose depends on
 * chance, so that a processor would guess wrong at every cell; here they are classified without
 * branches.  False: not so, nothing is done.
 */
static inline bool keep_in_peace(struct thr *t, uint32_t *cells, uint32_t wipes, uint32_t mine,
				 bool *is_new)
{
	if (CELLS != 4 || t->held_count)
		return false;
	cells4 all = *(const cells4 *)t->looked_at;
	if (mine & CELL_ATOMIC && unlikely(odd_atomics(all, mine & 0x3fc)))
		return false;
	unsigned is_free = bits_of(all == 0), over = bits_of((all & mine & 0x3fc) != 0);
	/* Before a block of the heap stands something else than stamps (heap.c). */
	if (unlikely(bits_of((all & 0x3fc) == 0) & ~is_free))
		return false;
	unsigned is_present = bits_of((all & 0xfffffc00u) == (mine & 0xfffffc00u));
	unsigned can_conflict = bits_of((cells4)(((all | mine) & CELL_WRITE) != 0) &
					(cells4)((all & mine & CELL_ATOMIC) == 0));
	/* is_stronger(mine, cell), without the bytes */
	unsigned is_weaker =
		bits_of(((all & ~mine & CELL_WRITE) | (mine & ~all & CELL_ATOMIC)) == 0);
	unsigned is_larger = bits_of((all & ~mine & 0x3fc) != 0);
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
		know(t, cells, wipes, all, own & ~superfluous, bare, mine);
	return replace(t, cells, all, is_free, superfluous, mine, is_new);
}

/*
 * The same for an atomic access where only atomic ones have been, and where those of the thread
 * are known: then nothing need be known of the others.  Their stamps are fresh from another
 * processor, and to look at them would take longer than everything else.
 */
static inline bool keep_known(struct thr *t, uint32_t *cells, uint32_t wipes, uint32_t mine,
			      bool *is_new)
{
	struct known *k = known_of(t, cells);
	if (CELLS != 4 || t->held_count || k->cells != cells || k->wipes != wipes)
		return false;
	cells4 all = *(const cells4 *)t->looked_at;
	unsigned is_free = bits_of(all == 0);
	unsigned is_plain = ~is_free & bits_of((cells4)((all & CELL_ATOMIC) == 0) |
					       (cells4)((all & 0x3fc) == 0));
	bool is_store = mine & CELL_WRITE;
	unsigned load = bits_of(all == k->load), store = bits_of(all == k->store);
	/* other bytes, or there already */
	bool is_odd = (k->load && ((k->load ^ mine) & 0x3fc)) ||
		      (k->store && ((k->store ^ mine) & 0x3fc)) ||
		      CELL_STAMP(k->load) == CELL_STAMP(mine) ||
		      CELL_STAMP(k->store) == CELL_STAMP(mine);
	if (is_plain || is_odd || odd_atomics(all, mine & 0x3fc))
		return false;
	unsigned superfluous = (load | (is_store ? store : 0)) & ~is_free;
	k->load = is_store ? 0 : mine;
	k->store = is_store ? mine : k->store;
	return replace(t, cells, all, is_free, superfluous, mine, is_new);
}

/* extend finds no conflicting ones. */
static const uint32_t no_cells[CELLS];

void access_granule(struct thr *t, uint32_t *cells, uintptr_t address, unsigned size,
		    uint32_t flags, uintptr_t pc)
{
	if (unlikely(t->ignored))
		return;
	/*
	 * A cell changes by an instruction that nothing overtakes: the program's own access would
	 * begin to wait for its memory only after it.  And the cells come for changes at once.
	 */
	__builtin_prefetch((const void *)address);
	run_fetch(cells);
	uint32_t wanted = ((1u << size) - 1) << (address & 7) << 2 | flags, base = thr_base(t);
	if (base && CELLS == 4 && !(flags & CELL_ATOMIC) && extend(cells, base | wanted)) {
		history_access(t, address, size, flags, pc);
		if (unlikely(has_company(cells, no_cells, base | wanted)) && !FAULT(24)) {
			looks_begin(t);
			meet_company(t, cells, base | wanted, address, size, pc);
			looks_end(t);
		}
		return;
	}
	looks_begin(t);
	uint32_t wipes = look_at_cells(t, cells);
	if (unlikely(wipes != t->wipes_met))
		late_see_all(t);
	base = thr_base(t); /* no handler changes it any more */
	uint32_t mine = (base ? base : stamp_now(t) << 10) | wanted;
	bool is_atomic = flags & CELL_ATOMIC;
	bool is_new;
	if ((is_atomic && keep_known(t, cells, wipes, mine, &is_new)) ||
	    keep_in_peace(t, cells, wipes, mine, &is_new)) {
		history_access(t, address, size, flags, pc);
	} else {
		if (is_atomic)
			known_of(t, cells)->cells = NULL;
		is_new = compare_and_keep(t, cells, mine, address, size, pc);
	}
	WIDEN(1);
	if (is_new && unlikely(has_company(cells, t->looked_at, mine)) && !FAULT(24))
		meet_company(t, cells, mine, address, size, pc);
	looks_end(t);
}

static __attribute__((noinline)) void see_atomics(struct thr *t, const uint32_t *cells,
						  uint32_t bytes)
{
	struct before before;
	before.count = 0;
	looks_begin(t);
	look_at_cells(t, cells);
	for (int i = 0; i < CELLS; i++) {
		uint32_t old = t->looked_at[i];
		if (!(old & bytes) || !(old & CELL_ATOMIC) ||
		    CELL_STAMP(old) == CELL_STAMP(thr_base(t)))
			continue;
		const struct stamp *s = STAMP(CELL_STAMP(old));
		/* A later epoch of it: then all of this one. */
		if (!seen_weak(t, s->slot, s->epoch + 1))
			add_before(&before, s);
	}
	if (before.count)
		see_before(t, &before);
	looks_end(t);
}

void access_before_store(struct thr *t, uintptr_t address, unsigned size, bool is_known)
{
	if (!g.is_parallel || t->ignored)
		return;
	while (size) {
		unsigned part = 8 - (address & 7);
		part = part < size ? part : size;
		uint32_t bytes = ((1u << part) - 1) << (address & 7) << 2,
			 *cells = shadow_of(address);
		if (!is_known || CELLS != 4 || g.has_odd_atomics ||
		    odd_atomics(*(const volatile cells4 *)cells, bytes))
			see_atomics(t, cells, bytes);
		address += part;
		size -= part;
	}
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
		if (!is_there(cells, t->base | ((1u << part) - 1) << (address & 7) << 2 | flags))
			access_granule(t, cells, address, part, flags, pc);
		address += part;
		size -= part;
	}
}

void shadow_clear(uintptr_t address, size_t size)
{
	uintptr_t from = (uintptr_t)shadow_of(address),
		  to = (uintptr_t)shadow_of(address + size + 7);
	if (to - from >= CLEAR_BY_PAGES) {
		uintptr_t first = (from + 4095) & ~4095ull, last = to & ~4095ull;
		run_clear((void *)from, first - from);
		run_forget(first, last - first);
		from = last;
	}
	for (cells4 *p = (cells4 *)from; p < (cells4 *)to; p++)
		*p = (cells4){ 0 };
}
