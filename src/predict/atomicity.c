/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates for violations of atomicity: two accesses of one thread to one variable that may be
 * a unit (units.h), and an access of another thread, the intruder, that comes between them:
 *
 *   read  WRITE write   a lost update: the second access overwrites what the intruder wrote
 *   read  READ  write   and the intruder's thread then writes, too: one of both updates is lost
 *   read  WRITE read    the second read sees something else
 *   write WRITE read    so does this one
 *   write READ  write   an unfinished state is seen
 *
 * None of this is a bug by itself.  Most programs with atomic variables do all of it on purpose:
 * a failed compare-exchange is read WRITE read, and so is the second check of double-checked
 * locking; a state that others poll is write READ write.  It is a violation only if the two
 * accesses belong together and the outcome is one of no serial order.  What the trace can show of
 * this is a lost update, with a reason why the write depends on the read (find_tie), and that is
 * claimed.  For everything else, and for pairs for which the trace shows no reason, only runs
 * can decide.  They are asked about if claims are to be tried (is_generous), and become findings by
 * their effect alone (serial.h).
 *
 * A lost update that is claimed happens.  With a WRITE in between, the thread is about to make
 * the second access, everything that it read being what it was, so it writes what it wrote:
 * whatever the program checks before it (a version, the variable itself) has passed.  With a READ
 * in between the intruder sees another value than it saw, so what it does next is concluded: it
 * was at the same places as the other thread and wrote, nothing that it reads is between its read
 * and its write, nor between those of the other thread, so there is no check that could stop one
 * of them.
 *
 * A write by compare-exchange or another read-modify-write is no second access of a lost update:
 * it reads the variable itself.
 */
#include "base/search.h"
#include "predict/contexts.h"
#include "wire/kinds.h"

#define REGION_OPERATIONS 100 /* between the two accesses at most */
#define INTRUDERS_MAX 64      /* that are looked at for one pair */
#define GENEROUS_PAIRS 4      /* that begin with one access */
#define TIES_MAX 64	      /* other pairs that a pair is compared with */

struct use {
	op_id op;
	uint32_t access;
};

struct pair {
	uint32_t first, second; /* accesses */
	loc_id places[2];
};

/* Accesses of one thread with the same locks, in the order of the trace. */
struct group {
	uint32_t thread;
	uint64_t locks;
	VEC(uint32_t) accesses;
};

/* The accesses to one variable, in the order of the trace, the pairs among them, and all in groups.
 */
struct uses {
	VEC(struct use) list;
	VEC(struct pair) pairs;
	VEC(struct group) groups;
};

static bool is_plain_kind(const struct index_event *e)
{
	return e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW;
}

static bool only_reads(const struct op_access *a)
{
	return a->reads && !a->writes;
}

static bool only_writes(const struct op_access *a)
{
	return a->writes && !a->reads;
}

/* A read and a write that does not look: what comes in between is overwritten. */
static bool is_update(const struct op_access *a, const struct op_access *c)
{
	return only_reads(a) && only_writes(c);
}

/* ---- why accesses belong together ---- */

/*
 * Data flow shows in the values of other pairs at the same places: where another value was read,
 * another one was written, and where the same was read, the same was written.
 */
static bool shows_data_flow(const struct finder *f, const struct uses *u, const struct pair *p,
			    op_id *other)
{
	const struct op_access *a = &f->h->accesses.at[p->first],
			       *c = &f->h->accesses.at[p->second];
	unsigned seen = 0;
	*other = OP_NONE;
	for (size_t i = 0; i < u->pairs.len && seen < TIES_MAX; i++) {
		const struct pair *q = &u->pairs.at[i];
		const struct op_access *d = &f->h->accesses.at[q->first],
				       *e = &f->h->accesses.at[q->second];
		if (q == p || q->places[0] != p->places[0] || q->places[1] != p->places[1] ||
		    !is_update(d, e))
			continue;
		seen++;
		if ((a->value == d->value) != (c->written == e->written))
			return false;
		if (a->value != d->value)
			*other = d->op;
	}
	return *other != OP_NONE;
}

/*
 * Control flow shows if what the intruder writes was read at the first place, too, and the second
 * access did not follow.
 */
static bool shows_control_flow(const struct finder *f, const struct uses *u, const struct pair *p,
			       const struct op_access *intruder, op_id *other)
{
	const struct history *h = f->h;
	for (size_t i = 0; i < u->list.len; i++) {
		const struct op_access *a = &h->accesses.at[u->list.at[i].access];
		if (!only_reads(a) || finder_place(f, a->op) != p->places[0] ||
		    a->value != intruder->written)
			continue;
		const struct op *o = &h->ops.at[a->op];
		size_t next = i + 1;
		while (next < u->list.len && h->ops.at[u->list.at[next].op].thread != o->thread)
			next++;
		if (next < u->list.len && finder_place(f, u->list.at[next].op) == p->places[1])
			return false;
		*other = a->op;
	}
	return *other != OP_NONE;
}

static enum claim_tie find_tie(const struct finder *f, const struct uses *u, const struct pair *p,
			       const struct op_access *intruder, op_id *other)
{
	*other = OP_NONE;
	if (!f->h->has_values)
		return TIE_NONE;
	if (shows_data_flow(f, u, p, other))
		return TIE_DATA;
	*other = OP_NONE;
	return intruder->writes && shows_control_flow(f, u, p, intruder, other) ? TIE_CONTROL
										: TIE_NONE;
}

/* ---- what an intruder changes ---- */

/* A write in between of what is there anyway is harmless. */
static bool changes(const struct history *h, const struct op_access *a, const struct op_access *b)
{
	uint64_t before = a->writes ? a->written : a->value;
	/* What the first one saw was written by the intruder itself, which comes later now. */
	return !h->has_values || (a->reads && a->seen == b->op) || b->written != before;
}

/* Whether an intruder may change what the accesses mean: what is tried. */
static bool may_harm(const struct history *h, const struct op_access *a, const struct op_access *b,
		     const struct op_access *c)
{
	if (is_update(a, c) && b->reads && !b->writes)
		return !h->has_values || b->value != a->value;
	if (b->writes && (only_reads(a) || (a->writes && only_reads(c))))
		return changes(h, a, b);
	return a->writes && only_reads(b) && only_writes(c) &&
	       (!h->has_values || c->written != a->written);
}

/* Whether a thread reads something, or tries something that may fail, in between: it may decide
 * by it. */
static bool looks_between(const struct finder *f, op_id first, op_id second)
{
	const struct history *h = f->h;
	const struct op *o = &h->ops.at[first];
	for (uint32_t p = o->own + 1; p < h->ops.at[second].own; p++) {
		op_id id = history_op(h, o->thread, p);
		const struct op *x = &h->ops.at[id];
		for (uint32_t i = 0; i < x->accesses; i++)
			if (h->accesses.at[x->first_access + i].reads)
				return true;
		if (x->gives_up || finder_event(f, id)->kind == EV_TRY_FAIL)
			return true;
	}
	return false;
}

/* The next access of the intruder's thread to the variable, if it is a write that does not look. */
static op_id update_after(const struct finder *f, const struct op_access *b)
{
	const struct history *h = f->h;
	const struct op *o = &h->ops.at[b->op];
	for (uint32_t p = o->own + 1;
	     p < history_length(h, o->thread) && p - o->own <= REGION_OPERATIONS; p++) {
		op_id next = history_op(h, o->thread, p);
		const struct op_access *w = history_access(h, next, b->variable);
		if (w)
			return only_writes(w) ? next : OP_NONE;
	}
	return OP_NONE;
}

/* Whether both threads are at the same places and update the variable without a look in between. */
static bool is_mutual_update(const struct finder *f, const struct op_access *a,
			     const struct op_access *b, const struct op_access *c, op_id update)
{
	return is_update(a, c) && only_reads(b) && update != OP_NONE &&
	       (!f->h->has_values || b->value != a->value) &&
	       finder_place(f, b->op) == finder_place(f, a->op) &&
	       finder_place(f, update) == finder_place(f, c->op) &&
	       !looks_between(f, a->op, c->op) && !looks_between(f, b->op, update);
}

/* ---- candidates ---- */

/*
 * Where the thread is when something comes in between: before the section of the second access,
 * if that is another one.  So what comes in between may hold the lock.
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

struct attempt {
	const struct op_access *a, *b, *c;
	op_id update; /* of the intruder's thread, after its read */
	enum claim_tie tie;
	op_id other;	 /* the read that the tie is known from */
	bool is_certain; /* the second access is to be what it was */
};

/* Where the first thread is when the intruder has come. */
static op_id pending_of(const struct history *h, const struct attempt *t)
{
	return t->is_certain ? t->c->op : place_between(h, t->a->op, t->c->op);
}

static void add_candidate(struct finder *f, const struct attempt *t)
{
	const struct history *h = f->h;
	op_id a = t->a->op, b = t->b->op, c = t->c->op;
	bool updates = t->update != OP_NONE && only_reads(t->b) && is_update(t->a, t->c);
	/* An update that comes in between as a whole is the same bug as one that only begins there.
	 */
	loc_id places[3] = { finder_place(f, a), finder_place(f, updates ? t->update : b),
			     finder_place(f, c) };
	struct candidate *x =
		finder_add(f, FINDING_ATOMICITY, finder_key(FINDING_ATOMICITY, places, 3, false));
	if (!x)
		return;
	x->distance = (op_id)(b > c ? b - c : c - b) + (c - a);
	x->tie = t->tie;
	x->tie_from = t->other;
	vec_push(&x->ops, a);
	vec_push(&x->ops, b);
	vec_push(&x->ops, c);
	if (updates)
		vec_push(&x->ops, t->update);
	vec_push(&x->orders, ((struct op_order){ a, b }));
	vec_push(&x->pending, pending_of(h, t));
}

/* What the trace alone shows. */
static bool is_claimed(const struct finder *f, const struct uses *u, const struct pair *p,
		       struct attempt *t)
{
	if (!is_update(t->a, t->c))
		return false;
	t->is_certain = t->b->writes && changes(f->h, t->a, t->b);
	if (!t->is_certain && !is_mutual_update(f, t->a, t->b, t->c, t->update))
		return false;
	t->tie = find_tie(f, u, p, t->b, &t->other);
	return t->tie != TIE_NONE;
}

/* The intruder is t->b. */
static void look_at_intruder(struct finder *f, const struct contexts *known, const struct uses *u,
			     const struct pair *p, struct attempt *t)
{
	t->update = update_after(f, t->b);
	t->tie = TIE_NONE;
	t->other = OP_NONE;
	t->is_certain = false;
	bool is_asked = f->o->is_generous || is_claimed(f, u, p, t);
	op_id pending = pending_of(f->h, t);
	if (contexts_exclude_by_locks(known, t->a->op, t->b->op, pending) ||
	    contexts_must_precede(known, pending, t->b->op))
		return;
	if (is_asked)
		add_candidate(f, t);
	else
		f->out->has_untried = true;
}

/* The first access of a group that need not precede an operation. */
static size_t first_free(const struct history *h, const struct contexts *known,
			 const struct group *g, op_id op)
{
	return partition_point(
		g->accesses.len, i,
		contexts_must_precede(known, h->accesses.at[g->accesses.at[i]].op, op));
}

/*
 * Intruders that locks or orders exclude cost nothing: a correct program has no others, however
 * long it runs.
 */
static void pair_up(struct finder *f, const struct contexts *known, const struct uses *u,
		    const struct pair *p)
{
	const struct history *h = f->h;
	struct attempt t = { .a = &h->accesses.at[p->first], .c = &h->accesses.at[p->second] };
	size_t tried = 0;
	for (size_t k = 0; k < u->groups.len && tried < INTRUDERS_MAX && !finder_is_over(f); k++) {
		const struct group *g = &u->groups.at[k];
		op_id any = h->accesses.at[g->accesses.at[0]].op;
		if (g->thread == h->ops.at[t.a->op].thread ||
		    contexts_exclude_by_locks(known, t.a->op, any, t.c->op))
			continue;
		for (size_t i = first_free(h, known, g, t.a->op); i < g->accesses.len; i++) {
			t.b = &h->accesses.at[g->accesses.at[i]];
			if (tried == INTRUDERS_MAX ||
			    contexts_must_precede(known, t.c->op, t.b->op))
				break;
			if (!may_harm(h, t.a, t.b, t.c))
				continue;
			tried++;
			look_at_intruder(f, known, u, p, &t);
		}
	}
}

/* ---- pairs ---- */

/* Whether a call between two accesses parts them: all synchronisation does, except for locks,
 * which are looked at below. */
static bool parts(const struct index_event *e)
{
	switch ((enum event_kind)e->kind) {
	case EV_FORK:
	case EV_JOIN:
	case EV_JOIN_WAIT:
	CASES_OF_CONDITIONS:
	case EV_TIMEOUT:
	CASES_OF_SEMAPHORES:
	CASES_OF_BARRIERS:
	CASES_OF_ONCE:
		return true;
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_REQUEST:
	case EV_TRY_FAIL:
	case EV_ORPHAN:
	case EV_CONSISTENT:
	case EV_ASK:
	/* No thread waits for these, so they end no region. */
	CASES_OF_OBJECT_LIFE:
	case EV_HIDDEN:
	case EV_BEGIN:
	case EV_END:
	case EV_DETACH:
	CASES_OF_SIGNALS:
#define SYNC_ON_OBJECT(...)
#define SYNC_ON_THREAD(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	return false;
}

/* Whether accesses of one thread are in one region: nothing parts them, or they are in two
 * sections of one lock. */
static bool is_one_region(const struct finder *f, op_id first, op_id second)
{
	const struct history *h = f->h;
	const struct op *o = &h->ops.at[first];
	/* the lock whose section the first is in and the second is not */
	uint32_t left = UINT32_MAX;
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
		if (x->kind == OP_ACQUIRE && x->lock == left &&
		    (x->match == OP_NONE || x->match > second))
			is_same = true;
	}
	return !has_locks || is_same;
}

/* The pairs that begin with one access: with the thread's next one, or, generously, with a few. */
static void look_from(struct finder *f, struct uses *u, size_t first)
{
	const struct history *h = f->h;
	const struct use *a = &u->list.at[first];
	const struct op *o = &h->ops.at[a->op];
	size_t pairs = f->o->is_generous ? GENEROUS_PAIRS : 1;
	for (size_t i = first + 1; i < u->list.len && pairs; i++) {
		const struct use *c = &u->list.at[i];
		const struct op *p = &h->ops.at[c->op];
		if (p->thread != o->thread)
			continue;
		if (p->own - o->own > REGION_OPERATIONS)
			return;
		pairs--;
		if (units_is_one(f->o->units, f->x, o->event, p->event) &&
		    (f->o->is_generous || is_one_region(f, a->op, c->op)))
			vec_push(&u->pairs, ((struct pair){ a->access,
							    c->access,
							    { finder_place(f, a->op),
							      finder_place(f, c->op) } }));
	}
}

static void add_use(struct uses *u, const struct contexts *known, uint32_t thread, struct use use)
{
	uint64_t locks = context_of(known, use.op)->locks;
	vec_push(&u->list, use);
	size_t i = 0;
	while (i < u->groups.len &&
	       (u->groups.at[i].thread != thread || u->groups.at[i].locks != locks))
		i++;
	if (i == u->groups.len)
		vec_push(&u->groups, ((struct group){ .thread = thread, .locks = locks }));
	vec_push(&u->groups.at[i].accesses, use.access);
}

static void release_uses(struct uses *u)
{
	for (size_t i = 0; i < u->groups.len; i++)
		vec_release(&u->groups.at[i].accesses);
	vec_release(&u->groups);
	vec_release(&u->list);
	vec_release(&u->pairs);
}

void find_atomicity(struct finder *f)
{
	const struct history *h = f->h;
	if (!f->o->units)
		return;
	struct contexts known;
	contexts_init(&known, f);
	struct uses *uses = mem_zero(h->variables + 1ull, sizeof(*uses));
	for (uint32_t i = 0; i < h->accesses.len; i++) {
		const struct op_access *a = &h->accesses.at[i];
		if (is_plain_kind(finder_event(f, a->op)))
			add_use(&uses[a->variable], &known, h->ops.at[a->op].thread,
				(struct use){ a->op, i });
	}
	for (uint32_t x = 0; x < h->variables; x++) {
		for (size_t i = 0; i < uses[x].list.len && !finder_is_over(f); i++)
			look_from(f, &uses[x], i);
		for (size_t i = 0; i < uses[x].pairs.len && !finder_is_over(f); i++)
			pair_up(f, &known, &uses[x], &uses[x].pairs.at[i]);
		release_uses(&uses[x]);
	}
	mem_free(uses);
	contexts_release(&known);
}
