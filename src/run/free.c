/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block is given back: pairs of its free and earlier accesses (TARGET conflicts, which make no edge), and
 * marks by which later accesses are noticed.
 *
 * The cells of a block are read while others work on them, like in shadow.c.  Nothing is changed by what is
 * found, so that it suffices to know afterwards that all stamps still meant what they did.
 */
#include "run/fault.h"
#include "run/looks.h"

#define FREE_LIMIT (16u << 10)	/* bytes of a freed block that are looked at */
#define MARK_LIMIT 1024u	/* and that are marked, so that later accesses are noticed */

/*
 * The last access of each thread to a block, among those that are not ordered before its end.  Who comes
 * before an earlier access of a thread also comes before its later ones, so that the last one decides.
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

static inline bool any_cell(const uint32_t *cells)
{
	cells4 c = *(const cells4 *)cells;
	return __builtin_ia32_pmovmskb128((bytes16)(c == 0)) != 0xffff;
}

static void find_lasts(struct thr *t, uintptr_t address, size_t size, struct lasts *lasts)
{
	uint32_t last_fine = 0;		/* neighbours mostly have the same stamp */
	for (uintptr_t a = address & ~7ull; a < address + size; a += 8) {
		const uint32_t *cells = shadow_of(a);
		for (int i = 0; i < CELLS; i++) {
			if (!(i & 3) && !any_cell(cells + i)) {
				i += 3;
				continue;
			}
			uint32_t old = __atomic_load_n(&cells[i], __ATOMIC_RELAXED);
			if (!CELL_MASK(old) || CELL_STAMP(old) == last_fine)
				continue;
			WIDEN(1);
			const struct stamp *s = STAMP(CELL_STAMP(old));
			if (s->slot == t->slot ||
			    (seen_hb(t, s->slot, s->epoch) &&
			     (seen_weak(t, s->slot, s->epoch) || !g.options.is_predicting)))
				last_fine = CELL_STAMP(old);
			else
				add_last(lasts, old, a);
		}
	}
}

/*
 * The stamps of a whole block cannot all be told: if the shadow was cleared meanwhile nothing of what was
 * found counts.
 */
static void pair_with_free(struct thr *t, uintptr_t address, size_t size, uintptr_t pc)
{
	struct lasts lasts;
	lasts.count = 0;
	uint32_t wipes = __atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE);
	find_lasts(t, address, size < FREE_LIMIT ? size : FREE_LIMIT, &lasts);
	if (!lasts.count)
		return;
	struct found f = { .kind = FOUND_USE_AFTER_FREE, .address = address, .size = (unsigned)size, .thr = t,
			   .act = ACT_FREE, .epoch = t->epoch, .stack = stack_now(t, pc) };
	looks_begin(t);
	for (unsigned i = 0; i < lasts.count; i++)
		__atomic_store_n(&t->looked_at[i], lasts.at[i].cell, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE) != wipes)
		lasts.count = 0;
	for (unsigned i = 0; i < lasts.count; i++) {
		const struct stamp *s = STAMP(CELL_STAMP(lasts.at[i].cell));
		f.status = seen_hb(t, s->slot, s->epoch) ? FOUND_PREDICTED : FOUND_UNORDERED;
		f.past = cell_past(s, lasts.at[i].cell, 0xff, lasts.at[i].address);
		target_pair(t, &f);
	}
	looks_end(t);
}

void shadow_free_again(struct thr *t, uintptr_t address, uintptr_t pc)
{
	struct found f = { .kind = FOUND_DOUBLE_FREE, .status = FOUND_HAPPENED, .address = address, .thr = t,
			   .act = ACT_FREE, .epoch = t->epoch, .stack = stack_now(t, pc) };
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
	uint32_t freed = stamp_now(t) << 10 | CELL_WRITE;
	size_t marked = size < MARK_LIMIT ? size : MARK_LIMIT;
	if (t->held_count)
		lock_catch_up(t);
	if (g.is_parallel)
		pair_with_free(t, address, size, pc);
	history_far_access(t, address, 8, CELL_WRITE | HISTORY_FREE, pc);
	if (is_unmapped)	/* whatever comes to these addresses next is not announced to us */
		marked = 0;
	for (uintptr_t a = address & ~7ull; a < address + marked; a += 8) {
		for (int i = 0; i < CELLS; i += 4)
			*(cells4 *)(shadow_of(a) + i) = (cells4){ i ? 0 : freed, 0, 0, 0 };
	}
	shadow_clear(address + marked, size - marked);
}
