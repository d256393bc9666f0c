/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hard edges across the borders of critical sections.
 *
 * The weak order of OVPredict 2.4 orders two sections of a lock only by conflicting accesses in
 * them.  That is too little where a section hands something to another thread before it ends.
 *
 * S1 and S2 are sections of one lock in modes that exclude each other, acq and rel are their
 * acquires and releases, and "before" is the weak order.  Its edges are program order, hard edges
 * (create, join, semaphore, signal to woken waiter, barrier, message, once, an atomic load and the
 * store that it read), reads of racing writes, and the edges between conflicting sections.  A
 * predicted execution keeps all of these.  So the two rules add only edges that every predicted
 * execution has anyway:
 *
 * 1. Section before section.  If acq1 is before an event e in S2, then rel1 is before e and
 *    before acq2.
 *    Proof: an execution that contains e has acq1 before e, hence before rel2.  Two sections do
 *    not overlap, so S1 is over when S2 begins.
 *    nest_order_sections applies it at acq2, and again whenever the thread has received a clock
 *    in S2 (thr.has_received), before it checks an access, publishes a clock, or ends the section.
 *
 * 2. Nesting.  If acq1 is before an event e of another thread, and e is before rel1, then e is
 *    inside S1 in every execution that contains rel1.  So e is ordered with all other sections of
 *    the lock like an access of the thread of S1:
 *
 *    a) with earlier sections.  When e happens it is not known yet whether rel1 will be after e.
 *       If S1 is open and the thread of e has seen acq1, e counts as nested (nest_is_within): if
 *       e conflicts with an access of an earlier section, that section's release is before e.  If
 *       S1 does not wait for e after all, this is more order than there is.
 *
 *    b) with later sections.  The thread of S1 learns of e by a clock that contains an epoch of
 *       its own from S1 (nest_note_return).  Then rel1 is before every later acquire of the lock,
 *       as in happens-before (`ordered`).
 *
 * Rule 1 concerns only sections whose acquire can be seen without their release: those in which
 * the thread began a new epoch because it published a clock (exposed sections).  All others cost
 * nothing.  An acquire begins a new epoch if the present one is exposed already (lock_acquire), so
 * an epoch says whether the acquire was seen.  Exposed sections that are not kept one by one any
 * more are joined in `old` with the others, and `exposed_old` has the range of their epochs for
 * each slot: a thread that has seen a part of such a range receives all of `old`.
 *
 * A section held for reading excludes only writers.  `ordered` does not distinguish the modes:
 * more order than there is.
 */
#include "run/nest.h"

#include "run/clock.h"
#include "run/fault.h"
#include "run/guard.h"
#include "run/lock.h"
#include "run/memory.h"
#include "run/object.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/thr.h"
#include "run/ticks.h"

void nest_open(const struct thr *t, struct object *s, enum lock_mode mode)
{
	struct open_section open = { t->slot, t->epoch };
	if (mode == HOLD_WRITE) {
		s->writer = open;
		s->open_count = 1;
		return;
	}
	if (s->open_count == s->readers_room) {
		uint32_t room = s->readers_room ? 2 * s->readers_room : 4;
		struct open_section *readers = run_alloc(room * sizeof(*readers));
		run_copy(readers, s->readers, s->readers_room * sizeof(*readers));
		s->readers = readers;
		s->readers_room = room;
	}
	s->readers[s->open_count++] = open;
}

/*
 * The section ends.  If it was not counted (its thread holds more than HELD_MAX locks) it was a
 * writer's or the last one.
 */
static void close_section(const struct thr *t, struct object *s)
{
	if (s->writer.acquire_epoch) {
		s->writer.acquire_epoch = 0;
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

void nest_close(struct thr *t, struct object *s, const struct held *h)
{
	close_section(t, s);
	if (!h || h->has_nested)
		clock_send(t, &s->ordered);
}

/* Rule 1 for the sections that are joined in `old`. */
static bool saw_part_of_old(const struct thr *t, const struct object *s)
{
	for (uint32_t i = 0; i < s->exposed_room; i++) {
		uint32_t seen = t->clock[i].weak;
		if (i != t->slot && seen >= s->exposed_old[i].first &&
		    seen < s->exposed_old[i].last)
			return true;
	}
	return false;
}

static bool saw_only_begin(const struct thr *t, const struct section *k, enum lock_mode mode)
{
	uint32_t seen = t->clock[k->slot].weak;
	return k->acquire_epoch && k->slot != t->slot && seen >= k->acquire_epoch &&
	       seen < k->epoch && (mode == HOLD_WRITE || k->mode == HOLD_WRITE);
}

void nest_order_sections(struct thr *t, struct object *s, enum lock_mode mode)
{
	if (likely(!s->exposed_count))
		return;
	if (FAULT(RUN_NEST_NOT_FOLLOWED))
		return;
	/* A received clock may contain further acquires. */
	for (bool is_new = true; is_new;) {
		is_new = false;
		for (uint32_t i = 0; s->kept && i < run_state.options.sections_kept; i++) {
			if (!saw_only_begin(t, &s->kept[i], mode))
				continue;
			clock_join_weak(t, s->kept[i].clock);
			is_new = true;
		}
		if (FAULT(RUN_NEST_FORGETS_OLD))
			continue;
		if (unlikely(saw_part_of_old(t, s))) {
			clock_join_weak(t, s->old);
			is_new = true;
		}
	}
}

void nest_keep_range(struct object *s, const struct section *k)
{
	if (!k->acquire_epoch)
		return;
	if (k->slot >= s->exposed_room) {
		uint32_t room = 4;
		while (room <= k->slot)
			room *= 2;
		struct epoch_range *exposed_old = run_alloc(room * sizeof(*exposed_old));
		run_copy(exposed_old, s->exposed_old, s->exposed_room * sizeof(*exposed_old));
		s->exposed_old = exposed_old;
		s->exposed_room = room;
	}
	struct epoch_range *e = &s->exposed_old[k->slot];
	e->first = e->last && e->first < k->acquire_epoch ? e->first : k->acquire_epoch;
	e->last = ticks_larger(e->last, k->epoch);
}

/*
 * Does `from` contain an action of thread i that t did not know and that i did after it had seen
 * t's epoch?  The present clock of i is used for that: what i has not seen now it had not seen
 * then.  An exposed epoch may be known to t and yet contain more than before.
 */
static bool may_have_nested(const struct thr *t, const struct clock *from, uint32_t i,
			    uint32_t epoch)
{
	const struct thr *other = run_state.slots[i];
	uint32_t received = from->at[i].weak, known = t->clock[i].weak;
	if (i == t->slot || !received || !other || received < known ||
	    (received == known &&
	     __atomic_load_n(&other->shared.exposed_epoch, __ATOMIC_RELAXED) < received))
		return false;
	return received < __atomic_load_n(&other->shared.first_epoch, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&other->clock[t->slot].weak, __ATOMIC_RELAXED) >= epoch;
}

/* `from` contains an epoch of t from an open section: others have seen its acquire. */
void nest_note_return(struct thr *t, const struct clock *from)
{
	for (uint32_t k = 0; k < t->held_count; k++) {
		struct held *h = &t->held[k];
		bool is_inside = from->at[t->slot].weak >= h->epoch;
		if (FAULT(RUN_NEST_DOES_NOT_RETURN))
			is_inside = false;
		for (uint32_t i = 0; i < from->n && is_inside && !h->has_nested; i++)
			h->has_nested = may_have_nested(t, from, i, h->epoch);
	}
}

static bool has_seen(const struct thr *t, const struct open_section *o)
{
	return o->slot != t->slot && seen_weak(t, o->slot, o->acquire_epoch);
}

bool nest_is_within(const struct thr *t, const struct object *s, unsigned mode)
{
	if (!s->open_count)
		return false;
	if (FAULT(RUN_NEST_NEVER_WITHIN))
		return false;
	if (s->writer.acquire_epoch)
		return has_seen(t, &s->writer);
	for (uint32_t i = 0; mode == HOLD_WRITE && i < s->open_count; i++)
		if (has_seen(t, &s->readers[i]))
			return true;
	return false;
}

bool nest_may_be_within(const struct thr *t, const struct stamp *s)
{
	bool is_within = false;
	for (; stamp_lock(s) && !is_within; s = STAMP(s->outer)) {
		struct object *m = &g_objects[stamp_lock(s)];
		if (lock_is_held(t, stamp_lock(s)) ||
		    !__atomic_load_n(&m->open_count, __ATOMIC_RELAXED))
			continue;
		run_lock(&m->guard);
		is_within = nest_is_within(t, m, stamp_mode(s));
		run_unlock(&m->guard);
	}
	return is_within;
}

void nest_destroy(struct object *s)
{
	clock_free(s->ordered);
	run_clear(s->exposed_old, s->exposed_room * sizeof(*s->exposed_old));
}
