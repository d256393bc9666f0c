/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hard edges across the borders of critical sections.
 *
 * The weak order of OVPredict 2.4 orders two sections of a lock only by conflicting accesses in
 * them. That is too little where a section hands something to another thread before it ends.  In
 * what follows S1 and S2 are sections of one lock in modes that exclude each other, and "before"
 * is the weak order. Its edges are program order, hard edges (create, join, semaphore, signal to
 * woken waiter, barrier, message, once, an atomic load and the store that it read), reads of
 * racing writes, and the edges between conflicting sections.  A predicted execution keeps all of
 * them, so that these two rules add only what every predicted execution has anyway:
 *
 * 1. Section before section.  If acq1 is before an event e in S2, then rel1 is before e, and
 *    before acq2: an execution that has e has acq1 before e, hence before rel2; two sections do
 *    not overlap; so S1 is over when S2 begins.  nest_follow asks for it at acq2, and again
 *    whenever the thread has received a clock in S2 (thr.has_news), before it judges an access,
 *    hands over a clock, or ends the section.
 *
 * 2. Nesting.  If acq1 is before e of another thread, and e before rel1, then e is inside S1 in
 *    every execution that has rel1.  So e is ordered with all other sections of the lock like an
 *    access of S1's own thread: a) with earlier sections.  Whether rel1 will be after e is not
 *    known yet when e happens.  If S1 is
 *       open and e's thread has seen acq1, e counts as nested (nest_is_within): a conflicting
 *       access of an earlier section has its release before e.  If it turns out that S1 did not
 *       wait for e this was more order than there is.
 *    b) with later sections.  The thread of S1 learns of e by a clock that has an epoch of its
 *       own from S1 in it (nest_return).  Then rel1 is before every later acquire of the lock,
 *       like in happens-before (`ordered`).
 *
 * Of rule 1 only sections matter whose acquire can be seen without their release: those in which
 * their thread began a new epoch, because it handed over a clock (leaks).  All others cost
 * nothing.  An acquire begins a new epoch if the present one has been shown already
 * (lock_acquire), so that an epoch says whether the acquire was seen.  Leaks that are not kept
 * one by one any more are joined in `old` with the rest, and `gone` has the range of their epochs
 * for each thread: who has seen a part of such a range gets all of `old`.
 *
 * A section that is held for reading excludes writers only.  `ordered` does not tell the two
 * apart: more order.
 */
#include "run/fault.h"
#include "run/ticks.h"

void nest_open(const struct thr *t, struct sync *s, enum lock_mode mode)
{
	struct open_section open = { t->slot, t->epoch };
	if (mode == HOLD_WRITE) {
		s->writer = open;
		s->open_count = 1;
		return;
	}
	if (s->open_count == s->readers_room) {
		uint32_t room = s->readers_room ? 2 * s->readers_room : 4;
		struct open_section *readers = run_pool(room * sizeof(*readers));
		run_copy(readers, s->readers, s->readers_room * sizeof(*readers));
		s->readers = readers;
		s->readers_room = room;
	}
	s->readers[s->open_count++] = open;
}

/*
 * The section ends.  One that nobody has counted (more locks than there is room for) was a
 * writer's or the last.
 */
static void close_section(const struct thr *t, struct sync *s)
{
	if (s->writer.since) {
		s->writer.since = 0;
		s->open_count = 0;
		return;
	}
	uint32_t i = 0;
	while (i < s->open_count && s->readers[i].slot != t->slot)
		i++;
	if (s->open_count)
		s->open_count--;
	if (i < s->open_count)
		s->readers[i] = s->readers[s->open_count];
}

void nest_close(struct thr *t, struct sync *s, const struct held *h)
{
	close_section(t, s);
	if (!h || h->is_nest)
		clock_publish(t, &s->ordered);
}

/* Rule 1 for the sections that `old` has. */
static bool saw_part_of_gone(const struct thr *t, const struct sync *s)
{
	for (uint32_t i = 0; i < s->gone_room; i++) {
		uint32_t seen = t->clock[i].weak;
		if (i != t->slot && seen >= s->gone[i].first && seen < s->gone[i].last)
			return true;
	}
	return false;
}

static bool saw_only_begin(const struct thr *t, const struct section *k, enum lock_mode mode)
{
	uint32_t seen = t->clock[k->slot].weak;
	return k->since && k->slot != t->slot && seen >= k->since && seen < k->epoch &&
	       (mode == HOLD_WRITE || k->mode == HOLD_WRITE);
}

void nest_follow(struct thr *t, struct sync *s, enum lock_mode mode)
{
	if (likely(!s->leaks) || FAULT(250))
		return;
	/* What is received may say where further ones began. */
	for (bool is_new = true; is_new;) {
		is_new = false;
		for (uint32_t i = 0; s->kept && i < g.options.sections_kept; i++) {
			if (!saw_only_begin(t, &s->kept[i], mode))
				continue;
			clock_receive_weak(t, s->kept[i].clock);
			is_new = true;
		}
		if (unlikely(saw_part_of_gone(t, s)) && !FAULT(251)) {
			clock_receive_weak(t, s->old);
			is_new = true;
		}
	}
}

/* The section's clock goes to `old`. */
void nest_forget_section(struct sync *s, const struct section *k)
{
	if (!k->since)
		return;
	if (k->slot >= s->gone_room) {
		uint32_t room = 4;
		while (room <= k->slot)
			room *= 2;
		struct epochs *gone = run_pool(room * sizeof(*gone));
		run_copy(gone, s->gone, s->gone_room * sizeof(*gone));
		s->gone = gone;
		s->gone_room = room;
	}
	struct epochs *e = &s->gone[k->slot];
	e->first = e->last && e->first < k->since ? e->first : k->since;
	e->last = ticks_larger(e->last, k->epoch);
}

/*
 * Has thread i done anything that `from` tells and that t did not know, after it had seen t's
 * epoch? What it has seen is asked now: if it has not seen it by now, it had not then.  An epoch
 * that was shown before it was over may be known and yet stand for more than before.
 */
static bool may_return(const struct thr *t, const struct clock *from, uint32_t i, uint32_t epoch)
{
	const struct thr *other = g.slots[i];
	uint32_t told = from->at[i].weak, known = t->clock[i].weak;
	if (i == t->slot || !told || !other || told < known ||
	    (told == known && __atomic_load_n(&other->shown_epoch, __ATOMIC_RELAXED) < told))
		return false;
	return told < __atomic_load_n(&other->first_epoch, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&other->clock[t->slot].weak, __ATOMIC_RELAXED) >= epoch;
}

/* The clock has an epoch of t's own from a section that is open: others have seen its acquire. */
void nest_return(struct thr *t, const struct clock *from)
{
	for (uint32_t k = 0; k < t->held_count; k++) {
		struct held *h = &t->held[k];
		bool is_inside = from->at[t->slot].weak >= h->epoch && !FAULT(252);
		for (uint32_t i = 0; i < from->n && is_inside && !h->is_nest; i++)
			h->is_nest = may_return(t, from, i, h->epoch);
	}
}

static bool has_seen(const struct thr *t, const struct open_section *o)
{
	return o->slot != t->slot && seen_weak(t, o->slot, o->since);
}

/* May t be inside a section of another thread that excludes those in this mode? */
bool nest_is_within(const struct thr *t, const struct sync *s, unsigned mode)
{
	if (!s->open_count || FAULT(253))
		return false;
	if (s->writer.since)
		return has_seen(t, &s->writer);
	for (uint32_t i = 0; mode == HOLD_WRITE && i < s->open_count; i++)
		if (has_seen(t, &s->readers[i]))
			return true;
	return false;
}

bool nest_may_be_within(const struct thr *t, const struct stamp *s)
{
	bool is_within = false;
	for (; s->lock && !is_within; s = STAMP(s->outer)) {
		struct sync *m = &g_syncs[s->lock];
		if (lock_is_held(t, s->lock) || !__atomic_load_n(&m->open_count, __ATOMIC_RELAXED))
			continue;
		run_lock(&m->guard);
		is_within = nest_is_within(t, m, s->mode);
		run_unlock(&m->guard);
	}
	return is_within;
}

/* The object ends; its entry is another's from now on. */
void nest_end(struct sync *s)
{
	clock_free(s->ordered);
	run_clear(s->gone, s->gone_room * sizeof(*s->gone));
}
