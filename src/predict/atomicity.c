// SPDX-License-Identifier: Apache-2.0
/*
 * Candidates for violations of atomicity: two accesses of one thread to one variable that are meant to belong
 * together, and an access of another thread that comes between them with an effect that no order of whole
 * regions has:
 *
 *   read  WRITE read    the second read sees something else        write WRITE read   so does this one
 *   read  WRITE write   the write in between is lost               write READ  write  what is read is not
 *         finished
 *   read  READ  write   and the other thread then writes what it made of that, too: one of the writes is lost
 *
 * Meant to belong together are neighbouring accesses of a thread in the same function, the second one further
 * down in the source (so two rounds of a loop are none), with no synchronisation between them, or in two
 * critical sections of one lock: who waits for another thread, or wakes one, in between, counts on what that
 * does.  If what is harmless will be told from what is not by running it, nearly neighbouring ones count,
 * too, whatever is between them.  Values decide whether something would change: a write in between of what is
 * there anyway is harmless.
 *
 * If the second access is in a critical section that begins after the first, the question is asked with the
 * thread about to begin that section: what comes in between may hold the lock.
 */
#include "predict/finder.h"

#define REGION_OPERATIONS 100	/* between the two accesses at most */
#define INTRUDERS_MAX 64	/* that are looked at for one pair */
#define GENEROUS_PAIRS 4	/* that begin with one access */

struct intruder {
	op_id op;
	uint32_t access;
};

static bool is_plain_kind(const struct index_event *e)
{
	return e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW;
}

/* Whether an access in between changes something. */
static bool has_effect(const struct history *h, const struct op_access *a, const struct op_access *b,
		       const struct op_access *c)
{
	uint64_t before = a->writes ? a->written : a->value;
	/* What the first one saw was written by the intruder itself, which comes later now. */
	bool is_other = !h->has_values || (a->reads && a->seen == b->op);
	if (a->reads && !a->writes && b->writes && c->reads && !c->writes)
		return is_other || b->written != before;
	if (a->writes && b->writes && c->reads && !c->writes)
		return is_other || b->written != before;
	if (a->reads && !a->writes && b->writes && c->writes && !c->reads)
		return is_other || b->written != before;
	if (a->writes && b->reads && !b->writes && c->writes && !c->reads)
		return !h->has_values || c->written != before;
	return false;
}

/* Whether a thread goes on from a read to write what it read, as the other one does. */
static bool is_lost_update(const struct finder *f, const struct op_access *a, const struct op_access *b,
			   const struct op_access *c)
{
	const struct history *h = f->h;
	const struct op *o = &h->ops.at[b->op];
	if (!a->reads || a->writes || !b->reads || b->writes || !c->writes || c->reads ||
	    (h->has_values && b->value == a->value))
		return false;
	/* What it does after reading something else is not in the trace. */
	if (f->o->is_generous)
		return true;
	for (uint32_t p = o->own + 1; p < history_length(h, o->thread) && p - o->own <= REGION_OPERATIONS;
	     p++) {
		op_id next = history_op(h, o->thread, p);
		const struct op_access *w = history_access(h, next, b->variable);
		if (w)
			return w->writes && !w->reads && finder_place(f, b->op) == finder_place(f, a->op) &&
			       finder_place(f, next) == finder_place(f, c->op);
	}
	return false;
}

/*
 * Where the thread is when something comes in between: before the section of the second access, if that is
 * another one.
 */
static op_id place_between(const struct history *h, op_id first, op_id second)
{
	const struct op *o = &h->ops.at[first];
	for (uint32_t p = o->own + 1; p < h->ops.at[second].own; p++) {
		op_id id = history_op(h, o->thread, p);
		const struct op *x = &h->ops.at[id];
		if (x->kind == OP_ACQUIRE && (x->match == OP_NONE || x->match > second))
			return id;
	}
	return second;
}

static void pair_up(struct finder *f, uint32_t first, uint32_t second, const struct intruder *all,
		    size_t count)
{
	const struct history *h = f->h;
	const struct op_access *a = &h->accesses.at[first], *c = &h->accesses.at[second];
	size_t tried = 0;
	for (size_t i = 0; i < count && tried < INTRUDERS_MAX; i++) {
		const struct op_access *b = &h->accesses.at[all[i].access];
		if (h->ops.at[b->op].thread == h->ops.at[a->op].thread ||
		    !(has_effect(h, a, b, c) || is_lost_update(f, a, b, c)))
			continue;
		tried++;
		loc_id places[3] = { finder_place(f, a->op), finder_place(f, b->op), finder_place(f, c->op) };
		struct candidate *x =
			finder_add(f, CLAIM_ATOMICITY, finder_key(CLAIM_ATOMICITY, places, 3, false));
		if (!x)
			continue;
		op_id far = b->op > c->op ? b->op - c->op : c->op - b->op;
		x->distance = far + (c->op - a->op);
		vec_push(&x->ops, a->op);
		vec_push(&x->ops, b->op);
		vec_push(&x->ops, c->op);
		vec_push(&x->orders, ((struct op_order){ a->op, b->op }));
		vec_push(&x->pending, place_between(h, a->op, c->op));
	}
}

/* Whether a call between two accesses parts them: all synchronisation does, except for locks, which are
 * looked at below. */
static bool parts(const struct index_event *e)
{
	switch (e->kind) {
	case EV_FORK:
	case EV_JOIN:
	case EV_JOIN_WAIT:
	case EV_WAIT:
	case EV_WAKE:
	case EV_TIMEOUT:
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_SEM_POST:
	case EV_SEM_WAIT:
	case EV_BARRIER_IN:
	case EV_BARRIER_OUT:
	case EV_ONCE_BEGIN:
	case EV_ONCE_END:
		return true;
	default: return false;
	}
}

/* Whether accesses of one thread are in one region: nothing parts them, or they are in two sections of one
 * lock. */
static bool is_one_region(const struct finder *f, op_id first, op_id second)
{
	const struct history *h = f->h;
	const struct op *o = &h->ops.at[first];
	uint32_t left = UINT32_MAX;	/* the lock whose section the first is in and the second is not */
	bool has_locks = false, is_same = false;
	for (uint32_t p = o->own + 1; p < h->ops.at[second].own; p++) {
		op_id id = history_op(h, o->thread, p);
		const struct op *x = &h->ops.at[id];
		if (x->kind == OP_RELEASE || x->kind == OP_ACQUIRE)
			has_locks = true;
		else if (parts(finder_event(f, id)))
			return false;
		if (x->kind == OP_RELEASE && x->match < first)
			left = x->lock;
		if (x->kind == OP_ACQUIRE && x->lock == left && (x->match == OP_NONE || x->match > second))
			is_same = true;
	}
	return !has_locks || is_same;
}

struct uses {
	VEC(struct intruder) list;	/* of one variable, in the order of the trace */
};

/* The pairs that begin with one access: with the thread's next one, or, generously, with a few. */
static void look_from(struct finder *f, const struct uses *u, size_t first)
{
	const struct history *h = f->h;
	const struct op *o = &h->ops.at[u->list.at[first].op];
	size_t pairs = f->o->is_generous ? GENEROUS_PAIRS : 1;
	for (size_t i = first + 1; i < u->list.len && pairs; i++) {
		const struct op *p = &h->ops.at[u->list.at[i].op];
		if (p->thread != o->thread)
			continue;
		if (p->own - o->own > REGION_OPERATIONS)
			return;
		pairs--;
		if (f->o->is_region(f->o->arg, finder_event(f, u->list.at[first].op)->loc,
				    finder_event(f, u->list.at[i].op)->loc) &&
		    (f->o->is_generous || is_one_region(f, u->list.at[first].op, u->list.at[i].op)))
			pair_up(f, u->list.at[first].access, u->list.at[i].access, u->list.at, u->list.len);
	}
}

void find_atomicity(struct finder *f)
{
	const struct history *h = f->h;
	struct uses *uses = mem_zero(h->variables + 1ull, sizeof(*uses));
	for (uint32_t i = 0; i < h->accesses.len; i++) {
		const struct op_access *a = &h->accesses.at[i];
		if (is_plain_kind(finder_event(f, a->op)))
			vec_push(&uses[a->variable].list, ((struct intruder){ a->op, i }));
	}
	for (uint32_t x = 0; x < h->variables; x++) {
		for (size_t i = 0; i < uses[x].list.len && f->o->is_region; i++)
			look_from(f, &uses[x], i);
		vec_release(&uses[x].list);
	}
	mem_free(uses);
}
