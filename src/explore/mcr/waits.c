/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wait, for the sources of mcr; see sources.h.
 *
 * Memory on which a thread has waited by spinning is *ordered*: writes there see what was before
 * them, also reads that ended the waiting, which count as additions.  Otherwise an execution in
 * which the thread continues would contain another one in which it waits for ever, with the same
 * sources everywhere, and nothing would show that both are to be explored.
 *
 * A read-write lock that prefers writers is ordered in the same way as soon as a writer has had
 * to wait for it: then it depends on earlier readers whether a reader gets the lock, so readers
 * do not commute.
 *
 * What a thread waits to do at the end of an execution is a move that it could make elsewhere.
 */
#include "base/alloc.h"
#include "wire/fault.h"
#include "explore/mcr/sources.h"
#include "explore/mcr/spots.h"

/* ---- ordered memory ---- */

/* Gives whether that is new. */
static bool note_ordered(struct sources *s, uint64_t low, uint64_t high)
{
	for (size_t k = 0; k < s->awaited.len; k++)
		if (s->awaited.at[k].low <= low && high <= s->awaited.at[k].high)
			return false;
	vec_push(&s->awaited, ((struct address_range){ low, high }));
	return true;
}

static bool note_awaited(struct sources *s, const struct opset *reads)
{
	bool is_new = false;
	uint32_t count = reads ? reads->count : 0;
	if (FAULT(AWAITED_READS_UNORDERED))
		count = 0;
	for (uint32_t i = 0; i < count && reads->ops[i].kind != EV_HIDDEN; i++)
		is_new |= note_ordered(s, reads->ops[i].object,
				       reads->ops[i].object + reads->ops[i].size);
	return is_new;
}

/* Locks that prefer writers, and for which a writer waits. */
static bool note_writers(struct sources *s, const struct opset *ops)
{
	bool is_new = false;
	for (uint32_t i = 0; i < ops->count; i++)
		if (ops->ops[i].kind == EV_HIDDEN && ops->ops[i].mode == SYNC_WRLOCK)
			is_new |= note_ordered(s, ops->ops[i].object, ops->ops[i].object + 1);
	return is_new;
}

bool sources_note_ordered(struct sources *s, const struct moves *h)
{
	bool is_new = false;
	for (size_t m = 0; m < h->moves.len; m++) {
		is_new |= note_awaited(s, h->moves.at[m].pause.awaits);
		is_new |= note_writers(s, h->moves.at[m].branch.ops);
	}
	for (size_t t = 0; t < h->threads.len; t++)
		is_new |= note_awaited(s, h->threads.at[t].pause.awaits);
	return is_new;
}

/* ---- moves that threads wait to make ---- */

/* What a thread that waits at the end would do; kind 0: nothing can be said. */
static struct wire_op wanted(const struct moves *h, const struct thread_now *now)
{
	struct wire_op need = pause_need(&now->pause);
	if (need.kind || now->woken_by == NO_MOVE || now->last == NO_MOVE)
		return need;
	/* It was woken from a condition variable, and wants back the mutex that it gave up. */
	const struct opset *gave = h->moves.at[now->last].branch.ops;
	for (uint32_t i = 0; i < gave->count; i++)
		if (gave->ops[i].kind == EV_RELEASE)
			return (struct wire_op){ .kind = EV_ACQUIRE,
						 .object = gave->ops[i].object,
						 .mode = gave->ops[i].mode };
	return need;
}

static bool ends_at(const struct moves *h, size_t move, uint64_t pc)
{
	const struct opset *s = h->moves.at[move].branch.ops;
	return s->count && s->ops[s->count - 1].pc == pc;
}

static bool opset_reads(const struct opset *s, const struct wire_op *read)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->ops[i].pc == read->pc && s->ops[i].object == read->object)
			return true;
	return false;
}

/* The moves of the last round of a thread that awaits a change. */
struct waiting_round {
	size_t begin; /* the first one; NO_MOVE: it is not known */
	size_t read;  /* the one with the first read; NO_MOVE: there is none */
};

/*
 * The reads of the round are reported from its beginning on (src/rt/await.c).  What is before the
 * first one, back to a move like the last one of the round, belongs to the round, too: it takes a
 * lock, or stores to what is the thread's own.
 */
static struct waiting_round last_round(const struct moves *h, const struct thread_now *now)
{
	const struct opset *reads = now->pause.awaits;
	struct waiting_round r = { NO_MOVE, now->last };
	while (r.read != NO_MOVE && reads->count &&
	       !opset_reads(h->moves.at[r.read].branch.ops, &reads->ops[0]))
		r.read = h->moves.at[r.read].previous;
	if (FAULT(MCR_LOOP_IS_LAST_STEP))
		r.read = now->last;
	if (r.read == now->last) {
		r.begin = r.read;
		return r;
	}
	const struct opset *last = h->moves.at[now->last].branch.ops;
	if (r.read == NO_MOVE || !last->count)
		return r;
	uint64_t end = last->ops[last->count - 1].pc;
	for (size_t m = r.read, before; (before = h->moves.at[m].previous) != NO_MOVE; m = before)
		if (ends_at(h, before, end)) {
			r.begin = m;
			break;
		}
	return r;
}

/* What a thread that awaits a change did first in its last round: NULL if that changed nothing of
 * what it read. */
static const struct opset *first_of_round(const struct moves *h, const struct thread_now *now)
{
	struct waiting_round r = last_round(h, now);
	if (now->last == NO_MOVE || (r.read != NO_MOVE && r.begin != r.read))
		return NULL;
	return h->moves.at[r.read == NO_MOVE ? now->last : r.read].branch.ops;
}

/* The lock that each round of a thread that awaits a change begins with; kind 0: none. */
static struct wire_op lock_of_round(const struct moves *h, const struct thread_now *now)
{
	struct waiting_round r = last_round(h, now);
	if (r.begin == NO_MOVE || r.begin == r.read)
		return (struct wire_op){ 0 };
	const struct opset *s = h->moves.at[r.begin].branch.ops;
	if (!s->count || s->ops[0].kind != EV_ACQUIRE || s->ops[0].flags & (OPF_TRY | OPF_TIMED))
		return (struct wire_op){ 0 };
	return (struct wire_op){ .kind = EV_ACQUIRE,
				 .object = s->ops[0].object,
				 .mode = s->ops[0].mode };
}

/*
 * What a thread that awaits a change will do once there is one: read again what it has read, and
 * take the lock that its round begins with, or, if that is what it did first in the round before,
 * change what it has read.
 */
static struct opset *awaited(const struct moves *h, uint32_t thread, const struct thread_now *now,
			     const struct wire_op *lock)
{
	VEC(struct wire_op) ops = { 0 };
	struct wire_op looks[LOOKS_MAX];
	size_t n = moves_looks(h, thread, now->last, now->pause.is_cancellable, looks);
	for (size_t i = 0; i < n; i++)
		vec_push(&ops, looks[i]);
	const struct opset *reads = now->pause.awaits;
	for (uint32_t i = 0; i < reads->count; i++)
		vec_push(&ops, reads->ops[i]);
	const struct opset *again = first_of_round(h, now);
	for (uint32_t i = 0; again && i < again->count; i++)
		for (uint32_t k = 0; k < reads->count; k++)
			if (again->ops[i].kind != EV_READ &&
			    again->ops[i].object == reads->ops[k].object) {
				vec_push(&ops, again->ops[i]);
				break;
			}
	if (lock->kind)
		vec_push(&ops, *lock);
	struct opset *s = opset_new(ops.at, ops.len, NULL, 0);
	vec_release(&ops);
	return s;
}

/* The thread that closed a deadlock cycle requested a lock, which it may get elsewhere: a move in
 * place of the one that failed. */
static void add_refused(struct moves *h)
{
	if (!h->moves.len)
		return;
	struct move last = vec_last(&h->moves);
	const struct opset *s = last.branch.ops;
	const struct wire_op *failure = s->count ? &s->ops[s->count - 1] : NULL;
	if (!failure || failure->kind != EV_FAILURE || !failure_is_cycle(failure->value))
		return;
	struct wire_op need = last.refused;
	if (!need.kind)
		return;
	last.branch.ops = opset_new(&need, 1, NULL, 0);
	last.need = need;
	last.pause = (struct pause){ 0 };
	vec_push(&h->moves, last);
}

void sources_add_waiting(struct moves *h)
{
	add_refused(h);
	for (size_t t = 0; t < h->threads.len; t++) {
		const struct thread_now *now = &h->threads.at[t];
		if (!now->pause.is_waiting)
			continue;
		struct wire_op need = wanted(h, now), call = pause_call(&now->pause);
		if (FAULT(MCR_IGNORES_WAITING_THREADS))
			break;
		if (!need.kind && !now->pause.awaits && !call.kind)
			continue;
		size_t enabled_by = now->woken_by != NO_MOVE ? now->woken_by
				    : now->last == NO_MOVE   ? now->created_by
							     : NO_MOVE;
		struct opset *awaits = now->pause.awaits, *held_by = awaits ? awaits : now->passed;
		if (awaits && !need.kind)
			need = lock_of_round(h, now);
		struct move m = {
			.branch = { .thread = (uint32_t)t,
				    .first = now->pause.hook,
				    .hook = now->pause.hook,
				    .ops = awaits ? awaited(h, (uint32_t)t, now, &need)
						  : moves_new_next(h, (uint32_t)t, now->last,
								   now->pause.is_cancellable,
								   need.kind ? &need : &call, 1) },
			.index = now->moves + 1,
			.previous = now->last,
			.enabled_by = enabled_by,
			.drained = now->drained,
			.need = need,
			/* One that was woken and still waits could have run out of time before
			 * that. */
			.timed = now->timed,
			.pause = { .is_waiting = awaits,
				   .awaits = held_by ? opset_ref(held_by) : NULL },
		};
		if (FAULT(MCR_WOKEN_THREAD_NEVER_TIMED))
			m.timed = (struct timed_wait){ 0 };
		struct wire_op looks[LOOKS_MAX];
		if (moves_looks(h, (uint32_t)t, now->last, now->pause.is_cancellable, looks) &&
		    !awaits) {
			m.pause = now->pause;
			m.pause.awaits = held_by ? opset_ref(held_by) : NULL;
		}
		vec_push(&h->moves, m);
	}
}
