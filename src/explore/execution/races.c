/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data races by vector clocks; see races.h.
 *
 * Each thread has a clock; what one thread publishes in an object (the release of a lock, the
 * post of a semaphore, a release store) is joined by who takes it up there.  For every eight
 * bytes of memory the last read and the last write of each thread are kept, with the bytes that
 * they touched: an access races with one of another thread whose time its own thread's clock does
 * not cover.  Later accesses of the same thread cover earlier ones of the same kind unless they
 * touched other bytes or were atomic, so those stand in entries of their own.
 */
#include "explore/execution/races.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "explore/fault.h"
#include "wire/depend.h"

#define THREADS_LIMIT RACES_THREADS /* further threads are not looked at */

struct clock {
	uint32_t at[THREADS_LIMIT];
};

struct past {
	uint32_t thread, time;
	uint8_t bytes, kind; /* a bit for each byte */
	bool is_atomic, is_write;
	uint32_t next;	 /* index plus one */
	size_t position; /* of its operation */
};

/* A race that this execution is the first to show, and where. */
struct news {
	size_t race, first, second;
};

/* An atomic store in a store buffer: what it publishes is received once it is in memory. */
struct unflushed {
	uint32_t thread;
	uint64_t object;
	struct clock clock;
};

struct races_state {
	struct clock threads[THREADS_LIMIT];
	/* relaxed loads: taken up by the next acquire fence */
	struct clock acquired[THREADS_LIMIT];
	struct clock released[THREADS_LIMIT]; /* as of the last release fence */
	uint32_t used;			      /* threads */
	VEC(struct clock) clocks;	      /* of objects */
	struct map clock_of;		      /* object -> index */
	VEC(struct unflushed) unflushed;      /* oldest first */
	VEC(struct past) pasts;
	struct map past_of; /* address / 8 -> index plus one of the first */
	uint64_t serial;    /* of the execution that is looked at */
	VEC(struct news) news;
	struct map occurrences, positions; /* for finish_news */
};

static void join(struct races_state *s, struct clock *to, const struct clock *from)
{
	for (uint32_t i = 0; i < s->used; i++)
		if (from->at[i] > to->at[i])
			to->at[i] = from->at[i];
}

static void reset(struct races_state *s)
{
	memset(s->threads, 0, s->used * sizeof(s->threads[0]));
	memset(s->acquired, 0, s->used * sizeof(s->acquired[0]));
	memset(s->released, 0, s->used * sizeof(s->released[0]));
	s->used = 0;
	s->clocks.len = s->unflushed.len = s->pasts.len = s->news.len = 0;
	map_clear(&s->clock_of);
	map_clear(&s->past_of);
	s->serial++;
}

static struct clock *object_clock(struct races_state *s, uint64_t space, uint64_t object)
{
	bool is_new;
	uint64_t *at = map_put(&s->clock_of, object << 3 | space, &is_new);
	if (is_new) {
		*at = s->clocks.len;
		vec_add(&s->clocks);
	}
	return &s->clocks.at[*at];
}

/* ---- synchronisation ---- */

/* An annotated lock may have the address of an atomic, of which a relaxed store ends what was
 * published. */
enum { SPACE_OBJECT, SPACE_CREATED, SPACE_ENDED, SPACE_CHANNEL, SPACE_OF_ANNOTATION };

static unsigned space_of(const struct wire_op *op)
{
	return op_is_annotated(op) ? SPACE_OF_ANNOTATION : SPACE_OBJECT;
}

static void publish(struct races_state *s, uint32_t t, uint64_t space, uint64_t object)
{
	join(s, object_clock(s, space, object), &s->threads[t]);
	s->threads[t].at[t]++;
}

static void take_up(struct races_state *s, uint32_t t, uint64_t space, uint64_t object)
{
	join(s, &s->threads[t], object_clock(s, space, object));
}

static void synchronise(struct races_state *s, uint32_t t, const struct wire_op *op)
{
	switch (op->kind) {
	case EV_FORK:
		publish(s, t, SPACE_CREATED, op->object);
		break;
	case EV_END:
		publish(s, t, SPACE_ENDED, t);
		break;
	case EV_JOIN:
		if (!(op->flags & EVF_FAILED))
			take_up(s, t, SPACE_ENDED, op->object);
		break;
	case EV_ACQUIRE:
	case EV_SEM_WAIT:
	case EV_WAKE:
	case EV_BARRIER_OUT:
	case EV_ONCE_BEGIN:
		take_up(s, t, space_of(op), op->object);
		break;
	case EV_RELEASE:
	case EV_SEM_POST:
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_BARRIER_IN:
	case EV_ONCE_END:
	case EV_ORPHAN:
		publish(s, t, space_of(op), op->object);
		break;
	case EV_ANNOTATION:
		if (op->mode == ANNOTATION_HAPPENS_BEFORE)
			publish(s, t, SPACE_OF_ANNOTATION, op->object);
		if (op->mode == ANNOTATION_HAPPENS_AFTER) {
			take_up(s, t, SPACE_OF_ANNOTATION, op->object);
			/* its load may have been relaxed */
			take_up(s, t, SPACE_OBJECT, op->object);
		}
		break;
	case EV_HIDDEN:
		/* A look at an object that is done: what came before its end is seen. */
		if (!op->value && (op->mode == SYNC_ONCE || op->mode == SYNC_SEMAPHORE))
			take_up(s, t, SPACE_OBJECT, op->object);
		/* What was read from a pipe was written before. */
		if (op->mode == HIDDEN_CHANNEL && op->value == CHANNEL_PUT)
			publish(s, t, SPACE_CHANNEL, op->object);
		if (op->mode == HIDDEN_CHANNEL && op->value == CHANNEL_TAKEN)
			take_up(s, t, SPACE_CHANNEL, op->object);
		/* What was done before a signal was sent, or a request made, its receiver sees. */
		if ((op->mode == HIDDEN_PENDING || op->mode == HIDDEN_CANCEL) &&
		    op->value >= PENDING_SENT)
			publish(s, t, SPACE_CHANNEL, op->object << 8 | op->mode);
		if ((op->mode == HIDDEN_PENDING || op->mode == HIDDEN_CANCEL) &&
		    op->value == PENDING_TAKEN)
			take_up(s, t, SPACE_CHANNEL, op->object << 8 | op->mode);
		break;
	case EV_FENCE:
		if (op->mode == MODE_ACQUIRE || op->mode == MODE_ACQ_REL ||
		    op->mode == MODE_SEQ_CST)
			join(s, &s->threads[t], &s->acquired[t]);
		if (op->mode >= MODE_RELEASE) {
			s->released[t] = s->threads[t];
			s->threads[t].at[t]++;
		}
		break;
	default:
		break;
	}
}

/* Atomic accesses publish and take up by their memory orders; a write that is no
 * read-modify-write ends what was there. */
static void synchronise_atomic(struct races_state *s, uint32_t t, const struct wire_op *op,
			       bool reads, bool writes)
{
	struct clock *at = object_clock(s, SPACE_OBJECT, op->object);
	bool acquires = op->mode == MODE_ACQUIRE || op->mode == MODE_CONSUME ||
			op->mode == MODE_ACQ_REL || op->mode == MODE_SEQ_CST;
	bool releases = op->mode >= MODE_RELEASE;
	if (reads)
		join(s, acquires ? &s->threads[t] : &s->acquired[t], at);
	if (!writes)
		return;
	const struct clock *published = releases ? &s->threads[t] : &s->released[t];
	if (op->flags & EVF_BUFFERED) {
		struct unflushed *u = vec_add(&s->unflushed);
		u->thread = t;
		u->object = op->object;
		join(s, &u->clock, published);
	} else {
		if (!reads)
			memset(at, 0, s->used * sizeof(at->at[0]));
		join(s, at, published);
	}
	if (releases)
		s->threads[t].at[t]++;
}

/*
 * A store of thread t leaves its buffer.  A read that comes before this sees an older store, so it
 * must not receive what this one publishes: the race behind it would be hidden, and with it a wide
 * access that has to be divided (wide.h).
 */
static void publish_flushed(struct races_state *s, uint32_t t, uint64_t object)
{
	for (size_t i = 0; i < s->unflushed.len; i++) {
		const struct unflushed *u = &s->unflushed.at[i];
		if (u->thread != t || u->object != object)
			continue;
		*object_clock(s, SPACE_OBJECT, object) = u->clock;
		s->unflushed.len--;
		memmove(&s->unflushed.at[i], &s->unflushed.at[i + 1],
			(s->unflushed.len - i) * sizeof(*u));
		return;
	}
}

/* ---- accesses ---- */

struct access {
	uint32_t thread, time;
	uint8_t kind;
	bool is_atomic, is_write;
	size_t position;
};

/* Of a pair, whichever was first: one instruction that races with itself is such a pair, too. */
static uint64_t race_key(uint64_t first_pc, uint64_t second_pc)
{
	uint64_t low = first_pc < second_pc ? first_pc : second_pc;
	return hash_mix(hash_mix(1, low), first_pc ^ second_pc ^ low);
}

/* After a free the other access fails, and that failure is what is reported: the other order is
 * taken once it is seen. */
static bool shows_more(const struct race *race, unsigned first_kind)
{
	return race->first.kind == EV_FREE && first_kind != EV_FREE;
}

static struct race_access access_of(const struct execution *x, uint32_t thread, uint8_t kind,
				    size_t position)
{
	const struct wire_op *op = &x->ops[position];
	return (struct race_access){ thread, kind, op->pc, op->object, op->size, 0 };
}

static void drop_schedule(struct race *race)
{
	struct race_schedule *by = race->by;
	race->by = NULL;
	if (!by || --by->users)
		return;
	schedule_release(&by->schedule);
	mem_free(by);
}

/* The race of a pair of places; NULL: it is not kept. */
static struct race *race_of(struct races *r, uint64_t key)
{
	bool is_new = false;
	uint64_t *at =
		r->found.len < RACES_MAX ? map_put(&r->seen, key, &is_new) : map_get(&r->seen, key);
	if (is_new) {
		*at = r->found.len;
		vec_add(&r->found);
	}
	return at ? &r->found.at[*at] : NULL;
}

static void report(struct races *r, const struct past *first, const struct access *second,
		   const struct execution *x)
{
	struct races_state *s = r->state;
	if (first->kind != EV_FAILURE && second->kind != EV_FAILURE) {
		wide_note(&r->wide, x, first->position);
		wide_note(&r->wide, x, second->position);
	}
	struct race *race =
		race_of(r, race_key(x->ops[first->position].pc, x->ops[second->position].pc));
	if (!race) {
		r->more++;
		return;
	}
	bool is_new = !race->executions;
	if (race->shown_in != s->serial) {
		race->shown_in = s->serial;
		race->executions++;
		race->drawn += r->is_drawn;
	}
	if (!is_new && !shows_more(race, first->kind))
		return;
	race->first = access_of(x, first->thread, first->kind, first->position);
	race->second = access_of(x, second->thread, second->kind, second->position);
	struct news n = { (size_t)(race - r->found.at), first->position, second->position };
	vec_push(&s->news, n);
}

/* One word: compare with what others did there, then remember. */
static void touch(struct races *r, const struct access *a, uint8_t bytes, uint64_t word,
		  const struct execution *x)
{
	struct races_state *s = r->state;
	bool is_new;
	uint64_t *first = map_put(&s->past_of, word, &is_new);
	struct past *same = NULL;
	for (uint32_t i = (uint32_t)*first; i; i = s->pasts.at[i - 1].next) {
		struct past *p = &s->pasts.at[i - 1];
		if (p->thread == a->thread) {
			if (p->is_write == a->is_write && p->is_atomic == a->is_atomic &&
			    p->bytes == bytes)
				same = p;
			continue;
		}
		if ((p->is_write || a->is_write) && !(p->is_atomic && a->is_atomic) &&
		    p->bytes & bytes && p->time > s->threads[a->thread].at[p->thread])
			report(r, p, a, x);
	}
	if (!same) {
		struct past p = { .next = (uint32_t)*first };
		vec_push(&s->pasts, p);
		*first = s->pasts.len;
		same = &vec_last(&s->pasts);
	}
	uint32_t next = same->next;
	*same = (struct past){ a->thread,    a->time,	  bytes, a->kind,
			       a->is_atomic, a->is_write, next,	 a->position };
}

/* The runtime lists a use of freed memory as a read that its failure follows (rt/explore.c). */
static bool is_failing(const struct execution *x, size_t position)
{
	const struct wire_op *op = &x->ops[position];
	return position + 1 < x->ops_count && op->kind == EV_READ && op[1].kind == EV_FAILURE &&
	       op[1].object == op->object && op[1].pc == op->pc;
}

static void look_at_access(struct races *r, uint32_t t, const struct execution *x, size_t position)
{
	struct races_state *s = r->state;
	const struct wire_op *op = &x->ops[position];
	bool fails = op->kind == EV_RMW && op->flags & EVF_FAILED;
	bool reads = op->kind == EV_READ || op->kind == EV_RMW,
	     writes = op->kind != EV_READ && !fails;
	bool is_atomic = op->kind != EV_FREE && op->mode != MODE_PLAIN;
	uint8_t kind = is_failing(x, position) ? EV_FAILURE : op->kind;
	struct access a = { t, s->threads[t].at[t], kind, is_atomic, writes, position };
	uint64_t end = op->object + (op->size ? op->size : 1);
	for (uint64_t word = op->object >> 3; word <= (end - 1) >> 3; word++) {
		uint64_t low = word << 3 > op->object ? word << 3 : op->object,
			 high = (word + 1) << 3 < end ? (word + 1) << 3 : end;
		uint8_t bytes =
			(uint8_t)((1u << (high - (word << 3))) - (1u << (low - (word << 3))));
		touch(r, &a, bytes, word, x);
	}
	if (is_atomic)
		synchronise_atomic(s, t, op, reads, writes);
}

/* ---- what is new ---- */

static bool is_access(unsigned kind)
{
	return kind == EV_READ || kind == EV_WRITE || kind == EV_RMW || kind == EV_FREE;
}

uint64_t race_access_key(const struct race_access *a)
{
	/* A failure says nothing about the size. */
	uint64_t size = a->kind == EV_FAILURE ? 0 : a->size;
	return hash_mix(hash_mix(hash_mix(1, a->address), size),
			(uint64_t)a->thread << 8 | a->kind);
}

/* Count the accesses that are like those of new races, up to each of them. */
static void count_occurrences(struct races_state *s, const struct execution *x)
{
	uint32_t t = 0;
	bool has_fork = false;
	OPS_EACH (op, x->ops, x->ops_count) {
		size_t i = (size_t)(op - x->ops);
		if (op->kind == OP_STEP)
			t = (uint32_t)op->object;
		has_fork |= op->kind == EV_FORK;
		if (FAULT(211))
			has_fork = true;
		if (!has_fork || !is_access(op->kind) || op_is_left_frame(op))
			continue;
		struct race_access a = access_of(x, t, is_failing(x, i) ? EV_FAILURE : op->kind, i);
		uint64_t *count = map_get(&s->occurrences, race_access_key(&a));
		if (!count)
			continue;
		++*count;
		uint64_t *at = map_get(&s->positions, i);
		if (at)
			*at = *count;
	}
}

/* The races that are new get one schedule, and know their accesses from others at the same place.
 */
static void finish_news(struct races *r, const struct execution *x)
{
	struct races_state *s = r->state;
	struct execution beginning = *x;
	beginning.ops_count = 0;
	map_clear(&s->occurrences);
	map_clear(&s->positions);
	for (size_t i = 0; i < s->news.len; i++) {
		const struct news *n = &s->news.at[i];
		struct race *race = &r->found.at[n->race];
		map_put(&s->occurrences, race_access_key(&race->first), NULL);
		map_put(&s->occurrences, race_access_key(&race->second), NULL);
		map_put(&s->positions, n->first, NULL);
		map_put(&s->positions, n->second, NULL);
		if (beginning.ops_count <= n->second)
			beginning.ops_count = n->second + 1;
	}
	count_occurrences(s, x);
	struct race_schedule *by = mem_zero(1, sizeof(*by));
	schedule_of(&by->schedule, &beginning);
	for (size_t i = 0; i < s->news.len; i++) {
		const struct news *n = &s->news.at[i];
		struct race *race = &r->found.at[n->race];
		race->first.occurrence = *map_get(&s->positions, n->first);
		race->second.occurrence = *map_get(&s->positions, n->second);
		if (FAULT(210))
			race->first.occurrence = race->second.occurrence = 1;
		if (race->by == by)
			continue;
		drop_schedule(race);
		race->by = by;
		by->users++;
	}
}

void races_find(struct races *r, const struct execution *x, bool is_drawn)
{
	r->is_drawn = is_drawn;
	if (!r->state)
		r->state = mem_zero(1, sizeof(*r->state));
	struct races_state *s = r->state;
	reset(s);
	uint32_t t = 0;
	bool is_whole = true;
	OPS_EACH (op, x->ops, x->ops_count) {
		if (op->kind == OP_STEP) {
			t = (uint32_t)op->object;
			is_whole &= t < THREADS_LIMIT;
			while (t < THREADS_LIMIT && s->used <= t) {
				/* Its creation comes before it. */
				uint32_t made = s->used++;
				take_up(s, made, SPACE_CREATED, made);
				s->threads[made].at[made] = 1;
			}
			continue;
		}
		if (t >= THREADS_LIMIT)
			continue;
		if (op_is_left_frame(op))
			continue;
		if (is_access(op->kind))
			look_at_access(r, t, x, (size_t)(op - x->ops));
		else if (op->kind == EV_FLUSH)
			publish_flushed(s, t, op->object);
		else
			synchronise(s, t, op);
	}
	r->left_out += !is_whole;
	if (s->news.len)
		finish_news(r, x);
}

void races_merge(struct races *to, struct races *from)
{
	for (size_t i = 0; i < from->found.len; i++) {
		struct race *race = &from->found.at[i];
		struct race *old = race_of(to, race_key(race->first.pc, race->second.pc));
		uint64_t executions = race->executions + (old ? old->executions : 0);
		uint64_t drawn = race->drawn + (old ? old->drawn : 0);
		bool is_taken = old && (!old->by || shows_more(old, race->first.kind));
		if (is_taken)
			drop_schedule(old);
		else
			drop_schedule(race);
		if (is_taken)
			*old = *race;
		if (!old) {
			to->more += executions;
			continue;
		}
		old->executions = executions;
		old->drawn = drawn;
	}
	wide_merge(&to->wide, &from->wide);
	to->left_out += from->left_out;
	to->more += from->more;
	from->found.len = from->left_out = from->more = 0;
	map_clear(&from->seen);
}

void races_release(struct races *r)
{
	for (size_t i = 0; i < r->found.len; i++)
		drop_schedule(&r->found.at[i]);
	vec_release(&r->found);
	map_release(&r->seen);
	wide_release(&r->wide);
	if (!r->state)
		return;
	vec_release(&r->state->clocks);
	vec_release(&r->state->unflushed);
	vec_release(&r->state->pasts);
	map_release(&r->state->clock_of);
	map_release(&r->state->past_of);
	vec_release(&r->state->news);
	map_release(&r->state->occurrences);
	map_release(&r->state->positions);
	mem_free(r->state);
}
