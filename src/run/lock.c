/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical sections under both orders (OVPredict 2.4 and 2.6).
 *
 * For happens-before a release hands the thread's clock to the next acquire.  For the weak order
 * it is only kept, under the number of its section, and whoever makes an access that conflicts
 * with one of that section joins it then.  A lock remembers its last SECTIONS_KEPT release clocks
 * one by one; older ones are joined in `old`, and who needs one of them gets all of them.
 *
 * Where information about accesses is given up (a cell taken, the shadow cleared, a function that
 * no hook sees into), the release clock of the section goes to `spilled`, which every later
 * section of the lock joins: more order, never less.
 *
 * Pairs that do not commute and lie under common locks can only be reversed together with their
 * whole sections, so they are decided when the last common lock is released (10.2).  The older
 * action must be unseen then, and with it all of its section: a thread that has seen, before its
 * own release, whatever follows the older section's acquire has seen that section's release as
 * well (nest.c).
 */
#include "run/fault.h"
#include "run/looks.h"
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

/* Order a section like happens-before does: no room to follow it, or no view of what it does. */
static void receive_all(struct thr *t, struct sync *s)
{
	for (uint32_t i = 0; s->kept && i < g.options.sections_kept; i++)
		clock_receive_weak(t, s->kept[i].clock);
	clock_receive_weak(t, s->old);
	clock_receive_weak(t, s->spilled);
}

/*
 * What the new section is after in any case (nest.c).  From here on its epoch says whether others
 * have seen the acquire: one that they have seen already is over.
 */
static void open_section(struct thr *t, struct sync *s, enum lock_mode mode)
{
	if (unlikely(s->ordered))
		clock_receive_weak(t, s->ordered);
	nest_follow(t, s, mode);
	if (unlikely(__atomic_load_n(&t->shown_epoch, __ATOMIC_RELAXED) == t->epoch))
		thr_tick(t);
	nest_open(t, s, mode);
}

void lock_acquire(struct thr *t, struct sync *s, enum lock_mode mode, uint32_t stack)
{
	uint32_t lock = sync_index(s);
	struct held *h = held_of(t, lock);
	if (h) {
		h->depth++;
		return;
	}
	late_see(t);
	clock_receive_hb(t, s->clock);
	if (mode == HOLD_WRITE)
		clock_receive_hb(t, s->reads);
	uint32_t section = ++s->sections;
	if (g.options.is_predicting)
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
			       .wipes = __atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE) };
	__atomic_store_n(&t->held_count, t->held_count + 1, __ATOMIC_RELEASE);
	/* What its release will change. */
	if (s->kept) {
		const struct section *k = &s->kept[section % g.options.sections_kept];
		run_fetch(k->clock);
		run_fetch(s->old);
	}
}

static void spill(struct sync *s, const struct clock *c)
{
	clock_merge(&s->spilled, c);
	__atomic_add_fetch(&s->spills, 1, __ATOMIC_RELEASE);
}

static void spill_own(struct thr *t, struct sync *s)
{
	struct clock *c = NULL;
	clock_replace(t, &c);
	spill(s, c);
	clock_free(c);
}

/*
 * The section is over: its clock is kept in place of an older one.  Sections of readers do not
 * end in the order of their numbers: one that is older than what is kept goes straight to the
 * rest.
 */
static void keep_section(struct thr *t, struct sync *s, const struct held *h)
{
	uint32_t kept = g.options.sections_kept;
	if (!s->kept)
		s->kept = run_pool(kept * sizeof(*s->kept));
	struct section *k = &s->kept[h->section % kept];
	struct section now = { .number = h->section,
			       .epoch = t->epoch,
			       .slot = t->slot,
			       .mode = h->mode,
			       .since = h->epoch != t->epoch ? h->epoch : 0 };
	s->leaks += now.since != 0;
	if (k->number > now.number) {
		clock_publish(t, &s->old);
		nest_forget_section(s, &now);
		return;
	}
	if (k->number) {
		clock_merge(&s->old, k->clock);
		nest_forget_section(s, k);
	}
	now.clock = k->clock;
	clock_replace(t, &now.clock);
	*k = now;
}

static void release_weak(struct thr *t, struct sync *s, const struct held *h)
{
	if (!h) {
		spill_own(t, s);
		nest_close(t, s, h);
		return;
	}
	/*
	 * What was learned since others saw this epoch is handed over under another one
	 * (clock.c).  What it knew before it took the guard they see if we do not see here that
	 * they do.
	 */
	if (__atomic_load_n(&t->shown_epoch, __ATOMIC_RELAXED) == t->epoch && !FAULT(18))
		thr_tick(t);
	keep_section(t, s, h);
	nest_close(t, s, h);
	uint32_t wipes = __atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE);
	if (((h->wipes != wipes || wipes & 1) && !FAULT(13)) ||
	    (s->spill_from && h->section >= s->spill_from))
		spill_own(t, s);
	/*
	 * Sections of writers end in the order of their numbers; for readers more may be spilled
	 * than must be.
	 */
	if (s->spill_from && h->mode == HOLD_WRITE)
		s->spill_from = 0;
}

static inline bool needs_to_catch_up(const struct thr *t)
{
	if (t->has_news)
		return true;
	for (uint32_t i = 0; i < t->held_count; i++)
		if (__atomic_load_n(&g_syncs[t->held[i].lock].spills, __ATOMIC_ACQUIRE) !=
		    t->held[i].spills_seen)
			return true;
	return false;
}

static void decide_candidates(struct thr *t, uint32_t lock)
{
	unsigned left = 0;
	looks_begin(t);
	for (unsigned i = 0; i < t->candidate_count; i++) {
		struct candidate *c = &t->candidates[i];
		unsigned k = 0;
		while (k < c->count && c->common[k] != lock)
			k++;
		if (k < c->count) {
			c->common[k] = c->common[--c->count];
			if (!look_at_past(t, &c->found.past) ||
			    seen_weak(t, c->found.past.slot, c->found.past.epoch))
				continue;
			if (!c->count || FAULT(4)) {
				c->found.is_locked = true;
				run_found(&c->found);
				continue;
			}
		}
		if (left != i)
			run_copy(&t->candidates[left], c, sizeof(*c));
		left++;
	}
	t->candidate_count = left;
	looks_end(t);
}

static void drop_held(struct thr *t, struct held *h)
{
	uint32_t at = (uint32_t)(h - t->held), n = t->held_count - 1;
	for (uint32_t i = at; i < n; i++) {
		t->held[i] = t->held[i + 1];
		/* one lock less outside of it */
		t->held[i].node = FAULT(8) ? t->held[i].node : 0;
	}
	__atomic_store_n(&t->held_count, n, __ATOMIC_RELEASE);
}

void lock_release(struct thr *t, struct sync *s)
{
	uint32_t lock = sync_index(s);
	struct held *h = held_of(t, lock);
	if (h && --h->depth) {
		run_unlock(&s->guard);
		return;
	}
	if (unlikely(needs_to_catch_up(t))) {
		run_unlock(&s->guard);
		lock_catch_up(t);
		run_lock(&s->guard);
	}
	if (h && h->mode == HOLD_READ) {
		clock_publish(t, &s->reads);
	} else {
		clock_replace(t, &s->clock);
		if (s->reads)
			s->reads->n = 0;
	}
	if (g.options.is_predicting)
		release_weak(t, s, h);
	run_enter(t); /* no handler may see the list of locks half changed */
	run_unlock(&s->guard);
	if (t->candidate_count)
		decide_candidates(t, lock);
	if (!FAULT(7))
		thr_tick(t);
	if (h)
		drop_held(t, h);
	run_leave(t);
}

void lock_end(struct thr *t)
{
	t->candidate_count = 0; /* the section of a lock that is not robust never ends */
	while (t->held_count) {
		struct held *h = &t->held[t->held_count - 1];
		struct sync *s = &g_syncs[h->lock];
		h->depth = 1;
		run_lock(&s->guard);
		lock_release(t, s);
	}
}

/*
 * Release clocks of a lock need not be followed for the same lock (nest_follow): who made them
 * has done so before the release, and of sections that exclude each other all count alike.  They
 * say nothing new if no other lock is held.
 */
static bool is_closed_under_nesting(const struct thr *t, const struct sync *s)
{
	return t->held_count == 1 && !s->readers_room;
}

/* True if that has changed something. */
static bool join_section(struct thr *t, const struct sync *m, uint32_t number)
{
	const struct section *k = m->kept ? &m->kept[number % g.options.sections_kept] : NULL;
	if (k && k->number == number && !seen_weak(t, k->slot, k->epoch)) {
		clock_receive_weak(t, k->clock);
		return true;
	}
	if (k && k->number > number && !FAULT(5)) {
		clock_receive_weak(t, m->old);
		return true;
	}
	return false;
}

bool lock_joins(struct thr *t, const struct stamp *s)
{
	bool is_new = false;
	for (; s->lock; s = STAMP(s->outer)) {
		const struct held *h = held_of(t, s->lock);
		struct sync *m = &g_syncs[s->lock];
		/* Sections are kept when they end, and none ends while the lock is held for
		 * writing. */
		if (h && h->mode == HOLD_WRITE) {
			bool had_news = t->has_news;
			is_new |= join_section(t, m, s->section);
			if (is_closed_under_nesting(t, m))
				t->has_news = had_news;
			continue;
		}
		if (h ? s->mode == HOLD_READ && !FAULT(6)
		      : !__atomic_load_n(&m->open_count, __ATOMIC_RELAXED))
			continue;
		run_lock(&m->guard);
		if (h || nest_is_within(t, m, s->mode))
			is_new |= join_section(t, m, s->section);
		run_unlock(&m->guard);
	}
	return is_new;
}

bool lock_covers(const struct thr *t, const struct stamp *s)
{
	bool is_own = s->slot == t->slot;
	for (; s->lock; s = STAMP(s->outer)) {
		const struct held *h = held_of(t, s->lock);
		if (!h || (h->mode == HOLD_READ && (!is_own || s->mode == HOLD_WRITE)))
			return false;
	}
	return true;
}

static void spill_section(struct sync *m, const struct stamp *s)
{
	const struct section *k = m->kept ? &m->kept[s->section % g.options.sections_kept] : NULL;
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
	if (!s->lock)
		return;
	for (; s->lock; s = STAMP(s->outer)) {
		struct sync *m = &g_syncs[s->lock];
		run_lock(&m->guard);
		spill_section(m, s);
		run_unlock(&m->guard);
	}
	lock_catch_up(t);
}

void lock_catch_up(struct thr *t)
{
	do {
		bool has_news = t->has_news;
		t->has_news = false;
		for (uint32_t i = 0; i < t->held_count; i++) {
			struct held *h = &t->held[i];
			struct sync *s = &g_syncs[h->lock];
			bool is_spilled =
				__atomic_load_n(&s->spills, __ATOMIC_ACQUIRE) != h->spills_seen;
			if (likely(!is_spilled && !(has_news && s->leaks)))
				continue;
			run_lock(&s->guard);
			if (is_spilled)
				clock_receive_weak(t, s->spilled);
			h->spills_seen = s->spills;
			nest_follow(t, s, h->mode);
			if (is_closed_under_nesting(t, s))
				t->has_news = false;
			run_unlock(&s->guard);
		}
	} while (t->has_news && t->held_count);
}

void lock_opaque(struct thr *t)
{
	for (uint32_t i = 0; i < t->held_count; i++) {
		if (t->held[i].is_opaque)
			continue;
		t->held[i].is_opaque = true;
		struct sync *s = &g_syncs[t->held[i].lock];
		run_lock(&s->guard);
		receive_all(t, s);
		if (!s->spill_from || t->held[i].section < s->spill_from)
			s->spill_from = t->held[i].section;
		run_unlock(&s->guard);
	}
}

void target_pair(struct thr *t, const struct found *f)
{
	uint32_t was_looking = t->looking;
	looks_begin(t);
	if (t->candidate_count < CANDIDATES_MAX && look_at_past(t, &f->past) &&
	    !(f->status == RUN_PREDICTED && nest_may_be_within(t, STAMP(f->past.stamp)))) {
		struct candidate *c = &t->candidates[t->candidate_count];
		c->count = 0;
		for (const struct stamp *s = STAMP(f->past.stamp); s->lock; s = STAMP(s->outer)) {
			const struct held *h = held_of(t, s->lock);
			if (!h || (h->mode == HOLD_READ && s->mode == HOLD_READ) ||
			    c->count == HELD_MAX)
				continue;
			c->common[c->count++] = s->lock;
		}
		if (c->count) {
			c->found = *f;
			t->candidate_count++;
		} else {
			run_found(f);
		}
	}
	if (!was_looking)
		looks_end(t);
}
