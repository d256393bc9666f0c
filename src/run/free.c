/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block is freed: pairs of the free and earlier accesses (TARGET conflicts of OVPredict, which
 * make no edge), and marks by which later accesses are detected.
 *
 * The cells of a block are read while other threads use them, as in access.c.  What is stored does
 * not depend on what is found, so it is enough to check afterwards that no stamp has been reused.
 */
#include "run/fault.h"
#include "run/found.h"
#include "run/hazard.h"
#include "run/history.h"
#include "run/late.h"
#include "run/lock.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/stamp.h"
#include "run/thr.h"

#define FREE_LIMIT (16u << 10) /* bytes of a freed block whose cells are compared */
#define MARK_LIMIT 1024u       /* and that are marked, so that later accesses are detected */

/*
 * The last access of each thread to a block, among those that are not ordered before the free.
 * What is before an earlier access of a thread is before its later ones, so the last one decides.
 */
struct lasts {
	unsigned count;
	struct {
		uint32_t cell;
		uintptr_t address;
	} at[LASTS_MAX];
};

/* Within an epoch locks are only added: more locks means later. */
static bool is_later(const struct stamp *a, const struct stamp *b)
{
	if (a->epoch != b->epoch)
		return a->epoch > b->epoch;
	/* Chains of stamps that were reused may be cyclic. */
	for (unsigned n = 0; stamp_lock(a) && stamp_lock(b) && n < HELD_MAX; n++) {
		a = STAMP(a->outer);
		b = STAMP(b->outer);
	}
	return stamp_lock(a);
}

static void add_last(struct lasts *l, uint32_t cell, uintptr_t address)
{
	const struct stamp *s = STAMP(CELL_STAMP(cell));
	unsigned i = 0;
	while (i < l->count && stamp_owner(CELL_STAMP(l->at[i].cell))->slot != stamp_slot(s))
		i++;
	if (i == LASTS_MAX || (i < l->count && !is_later(s, STAMP(CELL_STAMP(l->at[i].cell)))))
		return;
	l->at[i].cell = cell;
	l->at[i].address = address;
	l->count += i == l->count;
}

/* What a free does to its block: how much of it is compared and marked, and what was found. */
struct freed {
	uintptr_t compared_end, marked_end;
	uint32_t mark;
	uint32_t last_ordered; /* stamp that is ordered before; neighbours mostly have the same */
	struct lasts lasts;
};

static void check_old_cell(struct thr *t, struct freed *f, uint32_t old, uintptr_t address)
{
	if (!CELL_MASK(old) || CELL_STAMP(old) == f->last_ordered)
		return;
	WIDEN(1);
	const struct stamp *s = STAMP(CELL_STAMP(old));
	if (stamp_slot(s) == t->slot ||
	    (seen_hb(t, stamp_slot(s), s->epoch) &&
	     (seen_weak(t, stamp_slot(s), s->epoch) || !run_state.options.is_predicting)))
		f->last_ordered = CELL_STAMP(old);
	else
		add_last(&f->lasts, old, address);
}

/*
 * The cells of eight bytes are read and replaced by the mark.  An access that takes its cell after
 * that finds the mark when it rescans (has_new_conflict); one that took it before is found here.
 */
static void free_granule(struct thr *t, struct freed *f, uintptr_t address)
{
	uint32_t *cells = shadow_of(address);
	for (int i = 0; i < CELLS; i += 4) {
		cells4 old = *(volatile cells4 *)(cells + i);
		if (address < f->marked_end)
			*(volatile cells4 *)(cells + i) = (cells4){ i ? 0 : f->mark, 0, 0, 0 };
		if (address >= f->compared_end || !__builtin_ia32_pmovmskb128((bytes16)(old != 0)))
			continue;
		for (int k = 0; k < 4; k++)
			check_old_cell(t, f, old[k], address);
	}
}

/*
 * There is no room to publish the stamps of a whole block as hazards.  If the shadow was reset
 * meanwhile, nothing that was found is used.
 */
static void pair_with_accesses(struct thr *t, struct lasts *lasts, uint32_t resets,
			       uintptr_t address, size_t size, uintptr_t pc)
{
	struct found f = { .kind = FINDING_USE_AFTER_FREE,
			   .address = address,
			   .size = (unsigned)size,
			   .thr = t,
			   .act = ACT_FREE,
			   .epoch = t->epoch,
			   .stack = stack_now(t, pc) };
	hazards_begin(t);
	for (unsigned i = 0; i < lasts->count; i++)
		__atomic_store_n(&t->hazards[i], lasts->at[i].cell, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE) != resets)
		lasts->count = 0;
	for (unsigned i = 0; i < lasts->count; i++) {
		const struct stamp *s = STAMP(CELL_STAMP(lasts->at[i].cell));
		f.status = seen_hb(t, stamp_slot(s), s->epoch) ? RUN_PREDICTED : RUN_UNORDERED;
		f.past = cell_past(s, lasts->at[i].cell, 0xff, lasts->at[i].address);
		report_or_defer(t, &f);
	}
	hazards_end(t);
}

void shadow_free_again(struct thr *t, uintptr_t address, uintptr_t pc)
{
	struct found f = { .kind = FINDING_DOUBLE_FREE,
			   .status = RUN_HAPPENED,
			   .address = address,
			   .thr = t,
			   .act = ACT_FREE,
			   .epoch = t->epoch,
			   .stack = stack_now(t, pc) };
	hazards_begin(t);
	uint32_t freed = hazard_load(t, HAZARD_CELL, shadow_of(address));
	if (CELL_IS_FREED(freed))
		f.past = cell_past(STAMP(CELL_STAMP(freed)), freed, 0xff, address);
	run_found(&f);
	hazards_end(t);
}

void shadow_free(struct thr *t, uintptr_t address, size_t size, bool is_unmapped, uintptr_t pc)
{
	late_receive(t);
	size_t marked = size < MARK_LIMIT ? size : MARK_LIMIT,
	       compared = size < FREE_LIMIT ? size : FREE_LIMIT;
	if (is_unmapped) /* the next use of these addresses is not reported to us */
		marked = 0;
	struct freed f; /* the list is not cleared: most of it is never used */
	f.compared_end = run_state.is_parallel ? address + compared : 0;
	f.marked_end = address + marked;
	f.mark = stamp_now(t) << 10 | CELL_WRITE;
	f.last_ordered = 0;
	f.lasts.count = 0;
	if (t->held_count)
		lock_catch_up(t);
	/* Before the mark: an access that finds the mark needs the stack. */
	history_far_access(t, address, 8, CELL_WRITE | HISTORY_FREE, pc);
	uint32_t resets = __atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE);
	uintptr_t end = f.compared_end > f.marked_end ? f.compared_end : f.marked_end;
	for (uintptr_t a = address & ~7ull; a < end; a += 8)
		free_granule(t, &f, a);
	if (f.lasts.count)
		pair_with_accesses(t, &f.lasts, resets, address, size, pc);
	shadow_clear(address + marked, size - marked);
}
