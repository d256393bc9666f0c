/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical sections under both orders (OVPredict 2.4 and 2.6).
 *
 * Happens-before: a release hands the thread's clock to the next acquire.
 *
 * Weak order: the release clock is kept under the number of its section.  A thread that makes an
 * access that conflicts with one of that section joins it then.  A lock keeps its last
 * options.sections_kept release clocks one by one; older ones are joined in `old`, and a thread
 * that needs one of them receives all of them.
 *
 * Where information about accesses is dropped (a cell evicted, the shadow reset, a function
 * without hooks), the release clock of the section is spilled: every later section of the lock is
 * ordered after it.  That is more order, never less.
 *
 * Pairs that do not commute and have common locks can only be reversed together with their whole
 * sections.  So they are decided when the last common lock is released (10.2).  The older action
 * must not be seen then, and neither any of its section: by rule 1 of nest.c a thread that has
 * seen, before its own release, anything after the older section's acquire has seen that
 * section's release as well.
 */
#include "run/lock.h"

#include "run/clock.h"
#include "run/fault.h"
#include "run/found.h"
#include "run/guard.h"
#include "run/hazard.h"
#include "run/late.h"
#include "run/memory.h"
#include "run/nest.h"
#include "run/object.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/thr.h"
#include "run/ticks.h"

static struct held *held_of(const struct thr *t, uint32_t lock)
{
	for (uint32_t i = t->held_count; i-- > 0;)
		if (t->held[i].lock == lock)
			return (struct held *)&t->held[i];
	return NULL;
}

bool lock_is_held(const struct thr *t, uint32_t lock)
{
	return held_of(t, lock);
}

/* The section is ordered as in happens-before: it cannot be tracked, or does unseen things. */
static void receive_all(struct thr *t, struct object *s)
{
	for (uint32_t i = 0; s->kept && i < run_state.options.sections_kept; i++)
		clock_join_weak(t, s->kept[i].clock);
	clock_join_weak(t, s->old);
	clock_join_weak(t, s->spilled);
}

/*
 * Receives what the new section is after in any case (nest.c).  The section begins in an epoch
 * that is not exposed, so that its epoch says whether others have seen the acquire.
 */
static void open_section(struct thr *t, struct object *s, enum lock_mode mode)
{
	if (unlikely(s->ordered))
		clock_join_weak(t, s->ordered);
	nest_order_sections(t, s, mode);
	if (unlikely(__atomic_load_n(&t->shared.exposed_epoch, __ATOMIC_RELAXED) == t->epoch))
		thr_tick(t);
	nest_open(t, s, mode);
}

void lock_acquire(struct thr *t, struct object *s, enum lock_mode mode, uint32_t stack)
{
	uint32_t lock = object_index(s);
	struct held *h = held_of(t, lock);
	if (h) {
		h->depth++;
		return;
	}
	late_receive(t);
	clock_join_hb(t, s->clock);
	if (mode == HOLD_WRITE)
		clock_join_hb(t, s->reads);
	uint32_t section = ++s->sections;
	if (run_state.options.is_predicting)
		open_section(t, s, mode);
	thr_restamp(t);
	if (t->held_count == HELD_MAX) {
		receive_all(t, s);
		return;
	}
	t->held[t->held_count] =
		(struct held){ .lock = lock,
			       .section = section,
			       .depth = 1,
			       .epoch = t->epoch,
			       .mode = (uint8_t)mode,
			       .stack = stack,
			       .resets = __atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE) };
	__atomic_store_n(&t->held_count, t->held_count + 1, __ATOMIC_RELEASE);
	/* The release will change these. */
	if (s->kept) {
		const struct section *k = &s->kept[section % run_state.options.sections_kept];
		run_prefetch(k->clock);
		run_prefetch(s->old);
	}
}

static void spill(struct object *s, const struct clock *c)
{
	clock_merge(&s->spilled, c);
	__atomic_add_fetch(&s->spills, 1, __ATOMIC_RELEASE);
}

static void spill_own(struct thr *t, struct object *s)
{
	struct clock *c = NULL;
	clock_replace(t, &c);
	spill(s, c);
	clock_free(c);
}

/*
 * The section is over: its clock replaces an older one.  Sections of readers do not end in the
 * order of their numbers: one that is older than the one kept in its place is joined in `old`.
 */
static void keep_section(struct thr *t, struct object *s, const struct held *h)
{
	uint32_t kept = run_state.options.sections_kept;
	if (!s->kept)
		s->kept = run_alloc(kept * sizeof(*s->kept));
	struct section *k = &s->kept[h->section % kept];
	struct section now = { .number = h->section,
			       .epoch = t->epoch,
			       .slot = t->slot,
			       .mode = h->mode,
			       .acquire_epoch = h->epoch != t->epoch ? h->epoch : 0 };
	s->exposed_count += now.acquire_epoch != 0;
	if (k->number > now.number) {
		clock_send(t, &s->old);
		nest_keep_range(s, &now);
		return;
	}
	if (k->number) {
		clock_merge(&s->old, k->clock);
		nest_keep_range(s, k);
	}
	now.clock = k->clock;
	clock_replace(t, &now.clock);
	*k = now;
}

static void release_weak(struct thr *t, struct object *s, const struct held *h)
{
	if (!h) {
		spill_own(t, s);
		nest_close(t, s, h);
		return;
	}
	/*
	 * What the thread has learned since this epoch was exposed is published under another
	 * one (clock.c).  If the exposure is not visible here, the thread that exposes it reads
	 * a clock that has what was learned before the guard was taken.
	 */
	bool is_exposed = __atomic_load_n(&t->shared.exposed_epoch, __ATOMIC_RELAXED) == t->epoch;
	if (FAULT(RUN_SHOWN_EPOCH_KEPT))
		is_exposed = false;
	if (is_exposed)
		thr_tick(t);
	keep_section(t, s, h);
	nest_close(t, s, h);
	uint32_t resets = __atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE);
	bool is_reset = h->resets != resets || resets & 1;
	if (FAULT(RUN_WIPE_KEEPS_SECTION))
		is_reset = false;
	if (is_reset || (s->spill_from && h->section >= s->spill_from))
		spill_own(t, s);
	/*
	 * Sections of writers end in the order of their numbers.  For readers more is spilled
	 * than necessary.
	 */
	if (s->spill_from && h->mode == HOLD_WRITE)
		s->spill_from = 0;
}

static void decide_candidates(struct thr *t, uint32_t lock)
{
	unsigned left = 0;
	hazards_begin(t);
	for (unsigned i = 0; i < t->candidates.count; i++) {
		struct candidate *c = &t->candidates.at[i];
		unsigned k = 0;
		while (k < c->count && c->common[k] != lock)
			k++;
		if (k < c->count) {
			c->common[k] = c->common[--c->count];
			if (!hazard_past(t, &c->found.past) ||
			    seen_weak(t, c->found.past.slot, c->found.past.epoch))
				continue;
			bool is_decided = !c->count;
			if (FAULT(RUN_CANDIDATE_FOUND_EARLY))
				is_decided = true;
			if (is_decided) {
				c->found.is_locked = true;
				run_found(&c->found);
				continue;
			}
		}
		if (left != i)
			run_copy(&t->candidates.at[left], c, sizeof(*c));
		left++;
	}
	t->candidates.count = left;
	hazards_end(t);
}

static void drop_held(struct thr *t, struct held *h)
{
	uint32_t at = (uint32_t)(h - t->held), n = t->held_count - 1;
	for (uint32_t i = at; i < n; i++) {
		t->held[i] = t->held[i + 1];
		/* its set of outer locks has changed */
		if (!FAULT(RUN_DROPPED_LOCK_KEEPS_NODE))
			t->held[i].node = 0;
	}
	__atomic_store_n(&t->held_count, n, __ATOMIC_RELEASE);
	if (!n && t->stamps.left_count)
		stamp_close_batches(t);
}

void lock_release(struct thr *t, struct object *s)
{
	uint32_t lock = object_index(s);
	struct held *h = held_of(t, lock);
	if (h && --h->depth) {
		run_unlock(&s->guard);
		return;
	}
	if (unlikely(lock_needs_to_catch_up(t))) {
		run_unlock(&s->guard);
		lock_catch_up(t);
		run_lock(&s->guard);
	}
	if (h && h->mode == HOLD_READ) {
		clock_send(t, &s->reads);
	} else {
		clock_replace(t, &s->clock);
		if (s->reads)
			s->reads->n = 0;
	}
	if (run_state.options.is_predicting)
		release_weak(t, s, h);
	run_enter(t); /* handlers are deferred: the list of locks is changed */
	run_unlock(&s->guard);
	if (t->candidates.count)
		decide_candidates(t, lock);
	if (!FAULT(RUN_UNLOCK_KEEPS_EPOCH))
		thr_tick(t);
	if (h)
		drop_held(t, h);
	run_leave(t);
}

void lock_release_all(struct thr *t)
{
	t->candidates.count = 0; /* the section of a lock that is not robust does not end */
	while (t->held_count) {
		struct held *h = &t->held[t->held_count - 1];
		struct object *s = &g_objects[h->lock];
		h->depth = 1;
		run_lock(&s->guard);
		lock_release(t, s);
	}
}

/*
 * nest_order_sections need not be repeated for release clocks of the same lock: the thread that
 * released has applied it before, and all sections exclude each other.  So if no other lock is
 * held and the lock has no readers, such a clock adds no further sections.
 */
static bool is_closed_under_nesting(const struct thr *t, const struct object *s)
{
	return t->held_count == 1 && !s->readers_room;
}

/* True if t's clock may have changed. */
static bool join_section(struct thr *t, const struct object *m, uint32_t number)
{
	const struct section *k =
		m->kept ? &m->kept[number % run_state.options.sections_kept] : NULL;
	if (k && k->number == number && !seen_weak(t, k->slot, k->epoch)) {
		clock_join_weak(t, k->clock);
		return true;
	}
	bool is_replaced = k && k->number > number;
	if (FAULT(RUN_OLD_SECTIONS_IGNORED))
		is_replaced = false;
	if (is_replaced) {
		clock_join_weak(t, m->old);
		return true;
	}
	return false;
}

bool lock_join_sections(struct thr *t, const struct stamp *s)
{
	bool is_new = false;
	for (; stamp_lock(s); s = STAMP(s->outer)) {
		const struct held *h = held_of(t, stamp_lock(s));
		struct object *m = &g_objects[stamp_lock(s)];
		/* No guard: no section ends while the lock is held for writing. */
		if (h && h->mode == HOLD_WRITE) {
			bool had_received = t->has_received;
			is_new |= join_section(t, m, s->section);
			if (is_closed_under_nesting(t, m))
				t->has_received = had_received;
			continue;
		}
		bool is_skipped = h ? stamp_mode(s) == HOLD_READ
				    : !__atomic_load_n(&m->open_count, __ATOMIC_RELAXED);
		if (FAULT(RUN_READ_SECTIONS_EXCLUDE) && h)
			is_skipped = false;
		if (is_skipped)
			continue;
		run_lock(&m->guard);
		if (h || nest_is_within(t, m, stamp_mode(s)))
			is_new |= join_section(t, m, s->section);
		run_unlock(&m->guard);
	}
	return is_new;
}

bool lock_covers(const struct thr *t, const struct stamp *s)
{
	bool is_own = stamp_slot(s) == t->slot;
	for (; stamp_lock(s); s = STAMP(s->outer)) {
		const struct held *h = held_of(t, stamp_lock(s));
		if (!h || (h->mode == HOLD_READ && (!is_own || stamp_mode(s) == HOLD_WRITE)))
			return false;
	}
	return true;
}

static void spill_section(struct object *m, const struct stamp *s)
{
	const struct section *k =
		m->kept ? &m->kept[s->section % run_state.options.sections_kept] : NULL;
	if (k && k->number == s->section) {
		const struct clock *c = m->spilled;
		if (!c || c->n <= k->slot || c->at[k->slot].weak < k->epoch)
			spill(m, k->clock);
	} else if (k && k->number > s->section) {
		spill(m, m->old);
	} else if (!m->spill_from || s->section < m->spill_from) {
		m->spill_from = s->section;
	}
}

void lock_spill(struct thr *t, const struct stamp *s)
{
	if (!stamp_lock(s))
		return;
	for (; stamp_lock(s); s = STAMP(s->outer)) {
		struct object *m = &g_objects[stamp_lock(s)];
		run_lock(&m->guard);
		spill_section(m, s);
		run_unlock(&m->guard);
	}
	lock_catch_up(t);
}

void lock_catch_up(struct thr *t)
{
	do {
		bool has_received = t->has_received;
		t->has_received = false;
		for (uint32_t i = 0; i < t->held_count; i++) {
			struct held *h = &t->held[i];
			struct object *s = &g_objects[h->lock];
			bool is_spilled =
				__atomic_load_n(&s->spills, __ATOMIC_ACQUIRE) != h->spills_seen;
			if (likely(!is_spilled && !(has_received && s->exposed_count)))
				continue;
			run_lock(&s->guard);
			if (is_spilled)
				clock_join_weak(t, s->spilled);
			h->spills_seen = s->spills;
			nest_order_sections(t, s, h->mode);
			if (is_closed_under_nesting(t, s))
				t->has_received = false;
			run_unlock(&s->guard);
		}
	} while (t->has_received && t->held_count);
}

void lock_opaque(struct thr *t)
{
	for (uint32_t i = 0; i < t->held_count; i++) {
		if (t->held[i].is_opaque)
			continue;
		t->held[i].is_opaque = true;
		struct object *s = &g_objects[t->held[i].lock];
		run_lock(&s->guard);
		receive_all(t, s);
		if (!s->spill_from || t->held[i].section < s->spill_from)
			s->spill_from = t->held[i].section;
		run_unlock(&s->guard);
	}
}

void report_or_defer(struct thr *t, const struct found *f)
{
	uint32_t was_looking = t->has_hazards;
	hazards_begin(t);
	if (t->candidates.count < CANDIDATES_MAX && hazard_past(t, &f->past) &&
	    !(f->status == RUN_PREDICTED && nest_may_be_within(t, STAMP(f->past.stamp)))) {
		struct candidate *c = &t->candidates.at[t->candidates.count];
		c->count = 0;
		for (const struct stamp *s = STAMP(f->past.stamp); stamp_lock(s);
		     s = STAMP(s->outer)) {
			const struct held *h = held_of(t, stamp_lock(s));
			if (!h || (h->mode == HOLD_READ && stamp_mode(s) == HOLD_READ) ||
			    c->count == HELD_MAX)
				continue;
			c->common[c->count++] = stamp_lock(s);
		}
		if (c->count) {
			c->found = *f;
			t->candidates.count++;
		} else {
			run_found(f);
		}
	}
	if (!was_looking)
		hazards_end(t);
}
