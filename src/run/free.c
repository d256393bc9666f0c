/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block is given back: pairs of its free and earlier accesses (TARGET conflicts, which make no
 * edge), and marks by which later accesses are noticed.
 *
 * The cells of a block are read while others work on them, like in shadow.c.  What is changed
 * does not depend on what is found, so that it suffices to know afterwards that all stamps still
 * meant what they did.
 */
#include "run/fault.h"
#include "run/looks.h"

#define FREE_LIMIT (16u << 10) /* bytes of a freed block that are looked at */
#define MARK_LIMIT 1024u       /* and that are marked, so that later accesses are noticed */

/*
 * The last access of each thread to a block, among those that are not ordered before its end.
 * Who comes before an earlier access of a thread also comes before its later ones, so that the
 * last one decides.
 */
struct lasts {
	unsigned count;
	struct {
		uint32_t cell;
		uintptr_t address;
	} at[LASTS];
};

/* Within an epoch locks are only added: more of them means later. */
static bool is_later(const struct stamp *a, const struct stamp *b)
{
	if (a->epoch != b->epoch)
		return a->epoch > b->epoch;
	/* Stamps that have been given up and mean something else by now may go round in circles. */
	for (unsigned n = 0; a->lock && b->lock && n < HELD_MAX; n++) {
		a = STAMP(a->outer);
		b = STAMP(b->outer);
	}
	return a->lock;
}

static void add_last(struct lasts *l, uint32_t cell, uintptr_t address)
{
	const struct stamp *s = STAMP(CELL_STAMP(cell));
	unsigned i = 0;
	while (i < l->count && STAMP(CELL_STAMP(l->at[i].cell))->slot != s->slot)
		i++;
	if (i == LASTS || (i < l->count && !is_later(s, STAMP(CELL_STAMP(l->at[i].cell)))))
		return;
	l->at[i].cell = cell;
	l->at[i].address = address;
	l->count += i == l->count;
}

/* What a free does to its block: how much of it is looked at and marked, and what was found. */
struct freed {
	uintptr_t looked_end, marked_end;
	uint32_t mark;
	uint32_t last_fine; /* neighbours mostly have the same stamp */
	struct lasts lasts;
};

static void look_at_old(struct thr *t, struct freed *f, uint32_t old, uintptr_t address)
{
	if (!CELL_MASK(old) || CELL_STAMP(old) == f->last_fine)
		return;
	WIDEN(1);
	const struct stamp *s = STAMP(CELL_STAMP(old));
	if (s->slot == t->slot || (seen_hb(t, s->slot, s->epoch) &&
				   (seen_weak(t, s->slot, s->epoch) || !g.options.is_predicting)))
		f->last_fine = CELL_STAMP(old);
	else
		add_last(&f->lasts, old, address);
}

/*
 * Eight bytes end.  Their cells are read and replaced by the mark at once: an access that takes
 * its cell afterwards finds the mark when it looks again (has_company), one that took it before
 * is found here.
 */
static void end_granule(struct thr *t, struct freed *f, uintptr_t address)
{
	uint32_t *cells = shadow_of(address);
	for (int i = 0; i < CELLS; i += 4) {
		cells4 old = *(volatile cells4 *)(cells + i);
		if (address < f->marked_end)
			*(volatile cells4 *)(cells + i) = (cells4){ i ? 0 : f->mark, 0, 0, 0 };
		if (address >= f->looked_end || !__builtin_ia32_pmovmskb128((bytes16)(old != 0)))
			continue;
		for (int k = 0; k < 4; k++)
			look_at_old(t, f, old[k], address);
	}
}

/*
 * The stamps of a whole block cannot all be told: if the shadow was cleared meanwhile nothing of
 * what was found counts.
 */
static void pair_with_free(struct thr *t, struct lasts *lasts, uint32_t wipes, uintptr_t address,
			   size_t size, uintptr_t pc)
{
	struct found f = { .kind = FINDING_USE_AFTER_FREE,
			   .address = address,
			   .size = (unsigned)size,
			   .thr = t,
			   .act = ACT_FREE,
			   .epoch = t->epoch,
			   .stack = stack_now(t, pc) };
	looks_begin(t);
	for (unsigned i = 0; i < lasts->count; i++)
		__atomic_store_n(&t->looked_at[i], lasts->at[i].cell, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE) != wipes)
		lasts->count = 0;
	for (unsigned i = 0; i < lasts->count; i++) {
		const struct stamp *s = STAMP(CELL_STAMP(lasts->at[i].cell));
		f.status = seen_hb(t, s->slot, s->epoch) ? RUN_PREDICTED : RUN_UNORDERED;
		f.past = cell_past(s, lasts->at[i].cell, 0xff, lasts->at[i].address);
		target_pair(t, &f);
	}
	looks_end(t);
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
	looks_begin(t);
	uint32_t freed = look_at(t, LOOK_CELL, shadow_of(address));
	if (CELL_IS_FREED(freed))
		f.past = cell_past(STAMP(CELL_STAMP(freed)), freed, 0xff, address);
	run_found(&f);
	looks_end(t);
}

void shadow_free(struct thr *t, uintptr_t address, size_t size, bool is_unmapped, uintptr_t pc)
{
	late_see(t);
	size_t marked = size < MARK_LIMIT ? size : MARK_LIMIT,
	       looked = size < FREE_LIMIT ? size : FREE_LIMIT;
	if (is_unmapped) /* whatever comes to these addresses next is not announced to us */
		marked = 0;
	struct freed f; /* its list is not cleared: most of it is never used */
	f.looked_end = g.is_parallel ? address + looked : 0;
	f.marked_end = address + marked;
	f.mark = stamp_now(t) << 10 | CELL_WRITE;
	f.last_fine = 0;
	f.lasts.count = 0;
	if (t->held_count)
		lock_catch_up(t);
	/* Before the mark is there: an access that finds it needs the stack. */
	history_far_access(t, address, 8, CELL_WRITE | HISTORY_FREE, pc);
	uint32_t wipes = __atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE);
	uintptr_t end = f.looked_end > f.marked_end ? f.looked_end : f.marked_end;
	for (uintptr_t a = address & ~7ull; a < end; a += 8)
		end_granule(t, &f, a);
	if (f.lasts.count)
		pair_with_free(t, &f.lasts, wipes, address, size, pc);
	shadow_clear(address + marked, size - marked);
}
