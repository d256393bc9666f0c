/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races with functions of libc whose reach depends on what they read: memcmp stops at the first
 * difference, strcpy writes as much as it has read.  That a thread is about to call one says only
 * that the first byte of each of its ranges will be touched.  That it will get to another one is
 * certain where all that the call reads is what it was in the trace.
 *
 * So for such a byte the question is asked with the call done, which freezes its reads, right
 * before the other access or right after it.  The trace does not say where a call ends: accesses
 * by libc at one place that follow each other count as one, which asks for more than is needed at
 * worst.  A call is one step when the program is run, so no other thread may write what it reads
 * between its first access and its last.  If all of this holds, the witness is cut off before the
 * call, or before the other access, if that comes first: there both are about to happen, and
 * reach what they reached.
 */
#include "predict/finder.h"

#define CALL_MAX 16 /* accesses before and after one that may belong to its call */

static bool is_by_libc(const struct finder *f, op_id op)
{
	return finder_event(f, op)->flags & EVF_LIBC;
}

/* Whether an access touches the first byte of another: that one is certain. */
static bool touches_first(const struct index_event *e, const struct index_event *of)
{
	return of->obj >= e->obj && of->obj - e->obj < e->size;
}

bool call_is_unsure(const struct finder *f, op_id op, op_id other)
{
	return is_by_libc(f, op) && !touches_first(finder_event(f, other), finder_event(f, op));
}

/* Whether an access and the next one of the same thread are of one call: nothing that the program
 * does is between them. */
static bool is_one_call(const struct finder *f, op_id op, op_id next)
{
	const struct index_event *a = finder_event(f, op), *b = finder_event(f, next);
	uint64_t count;
	const ev_id *own = index_of_thread(f->x, a->thread, &count);
	if (a->kind != EV_READ || b->kind != EV_READ || !(a->flags & b->flags & EVF_LIBC) ||
	    a->loc != b->loc)
		return false;
	for (uint32_t i = a->own + 1; i < b->own; i++) {
		const struct index_event *e = &f->x->events[own[i]];
		if (e->kind != EV_INITIAL && e->kind != EV_OUTSIDE_WRITE &&
		    !(e->kind == EV_READ && e->flags & EVF_LIBC && e->loc == a->loc))
			return false;
	}
	return true;
}

struct call call_of(const struct finder *f, op_id op)
{
	const struct op *o = &f->h->ops.at[op];
	struct call c = { .thread = o->thread, .first = o->own, .end = o->own + 1, .at = o->own };
	bool is_read = finder_event(f, op)->kind == EV_READ;
	/* What it writes rests on what it read right before. */
	if (!is_read && c.first) {
		const struct index_event *e =
			finder_event(f, history_op(f->h, c.thread, c.first - 1));
		c.first -= e->kind == EV_READ && e->flags & EVF_LIBC &&
			   e->loc == finder_event(f, op)->loc;
	}
	uint32_t least = c.first > CALL_MAX ? c.first - CALL_MAX : 0;
	while (c.first > least && is_one_call(f, history_op(f->h, c.thread, c.first - 1),
					      history_op(f->h, c.thread, c.first)))
		c.first--;
	uint32_t length = history_length(f->h, c.thread);
	while (is_read && c.end < length && c.end - c.at < CALL_MAX &&
	       is_one_call(f, history_op(f->h, c.thread, c.end - 1),
			   history_op(f->h, c.thread, c.end)))
		c.end++;
	return c;
}

/* Whether an operation writes what the call reads. */
static bool disturbs(const struct finder *f, const struct op *o, const struct call *c)
{
	for (uint32_t i = 0; i < o->accesses; i++) {
		const struct op_access *a = &f->h->accesses.at[o->first_access + i];
		for (uint32_t p = c->first; a->writes && p < c->end; p++) {
			const struct op_access *b =
				history_access(f->h, history_op(f->h, c->thread, p), a->variable);
			if (b && b->reads)
				return true;
		}
	}
	return false;
}

/* Whether another thread writes what a call reads while it is under way in the witness. */
static bool is_disturbed(const struct finder *f, const struct call *c, const struct answer *a)
{
	bool is_under_way = false;
	for (size_t i = 0; i < a->witness.len; i++) {
		const struct op *o = &f->h->ops.at[a->witness.at[i]];
		if (o->thread == c->thread) {
			is_under_way |= o->own == c->first;
			if (o->own == c->end - 1)
				return false;
		} else if (is_under_way && disturbs(f, o, c)) {
			return true;
		}
	}
	return false;
}

/* The witness up to where both are about to happen; what the call reads before its access in
 * question stays. */
static void cut(const struct finder *f, const struct call *c, op_id other, struct answer *a)
{
	size_t kept = 0;
	uint32_t done = c->first;
	for (size_t i = 0; i < a->witness.len; i++) {
		const struct op *o = &f->h->ops.at[a->witness.at[i]];
		bool is_own = o->thread == c->thread;
		if (a->witness.at[i] == other || (is_own && o->own == c->end - 1))
			break;
		if (is_own && o->own >= c->at)
			continue;
		done = is_own && o->own >= c->first ? o->own + 1 : done;
		a->witness.at[kept++] = a->witness.at[i];
	}
	a->witness.len = kept;
	for (; done < c->at; done++)
		vec_push(&a->witness, history_op(f->h, c->thread, done));
}

bool call_settle(const struct finder *f, const struct candidate *c, bool same_values,
		 struct answer *a)
{
	bool is_cut = false;
	for (size_t k = 0; c->kind == FINDING_RACE && k < 2; k++) {
		if (!call_is_unsure(f, c->ops.at[k], c->ops.at[1 - k]))
			continue;
		struct call call = call_of(f, c->ops.at[k]);
		if (is_disturbed(f, &call, a))
			return false;
		if (finder_event(f, c->ops.at[k])->kind == EV_READ) {
			cut(f, &call, c->ops.at[1 - k], a);
			is_cut = true;
		}
	}
	if (!is_cut)
		return true;
	struct question q = { .same_values = same_values };
	vec_push(&q.pending, c->ops.at[0]);
	vec_push(&q.pending, c->ops.at[1]);
	bool is_accepted = !witness_flaw_after(f->h, &q, a->prefix, a->witness.at, a->witness.len);
	question_release(&q);
	return is_accepted;
}
