/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data races by vector clocks; see races.h.
 *
 * Each thread has a clock (hb.h), and all edges of wire/sync.def count.  For every eight bytes of
 * memory the last read and the last write of each thread are kept, with the bytes that they
 * touched: an access races with one of another thread whose time its own thread's clock does not
 * cover.  Later accesses of the same thread cover earlier ones of the same kind unless they
 * touched other bytes or were atomic, so those stand in entries of their own.
 */
#include "explore/execution/races.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "explore/execution/hb.h"
#include "wire/fault.h"

#define THREADS_LIMIT RACES_THREADS /* further threads are not looked at */

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
	struct vc clock;
};

struct races_state {
	struct hb hb;
	/* what relaxed loads of each thread have seen: received by its next acquire fence */
	struct vc acquired[THREADS_LIMIT];
	struct vc released[THREADS_LIMIT]; /* as of the last release fence */
	VEC(struct unflushed) unflushed;   /* oldest first */
	VEC(struct past) pasts;
	struct map past_of; /* address / 8 -> index plus one of the first */
	uint64_t serial;    /* of the execution that is looked at */
	VEC(struct news) news;
	struct map occurrences, positions; /* for finish_news */
};

static void drop_unflushed(struct races_state *s)
{
	for (size_t i = 0; i < s->unflushed.len; i++)
		vc_release(&s->unflushed.at[i].clock);
	s->unflushed.len = 0;
}

static void reset(struct races_state *s)
{
	hb_begin(&s->hb);
	drop_unflushed(s);
	for (size_t i = 0; i < THREADS_LIMIT; i++) {
		vc_clear(&s->acquired[i]);
		vc_clear(&s->released[i]);
	}
	s->pasts.len = s->news.len = 0;
	map_clear(&s->past_of);
	s->serial++;
}

/* ---- synchronisation ---- */

static void synchronise_fence(struct races_state *s, uint32_t t, const struct wire_op *op)
{
	if (order_acquires(op->mode))
		vc_join(hb_thread(&s->hb, t), &s->acquired[t]);
	if (order_releases(op->mode)) {
		vc_clear(&s->released[t]);
		vc_join(&s->released[t], hb_thread(&s->hb, t));
		hb_advance(&s->hb, t);
	}
}

static void synchronise(struct races_state *s, uint32_t t, const struct wire_op *op)
{
	struct sync_edge from = op_edge(op, t, false), to = op_edge(op, t, true);
	if (from.via != VIA_NOTHING)
		hb_receive(&s->hb, t, from);
	/* The load of an annotated order may have been relaxed. */
	if (op->kind == EV_ANNOTATION && from.via == VIA_ANNOTATION)
		hb_receive(&s->hb, t, (struct sync_edge){ op->object, VIA_OBJECT });
	if (to.via != VIA_NOTHING)
		hb_publish(&s->hb, t, to);
	if (op->kind == EV_FENCE)
		synchronise_fence(s, t, op);
}

/* Atomic accesses publish and receive by their memory orders; a write that is no
 * read-modify-write ends what was there. */
static void synchronise_atomic(struct races_state *s, uint32_t t, const struct wire_op *op,
			       bool reads, bool writes)
{
	struct vc *at = hb_left(&s->hb, (struct sync_edge){ op->object, VIA_OBJECT });
	if (reads)
		vc_join(order_acquires(op->mode) ? hb_thread(&s->hb, t) : &s->acquired[t], at);
	if (!writes)
		return;
	const struct vc *published =
		order_releases(op->mode) ? hb_thread(&s->hb, t) : &s->released[t];
	if (op->flags & EVF_BUFFERED) {
		struct unflushed *u = vec_add(&s->unflushed);
		u->thread = t;
		u->object = op->object;
		vc_join(&u->clock, published);
	} else {
		if (!reads)
			vc_clear(at);
		vc_join(at, published);
	}
	if (order_releases(op->mode))
		hb_advance(&s->hb, t);
}

/*
 * A store of thread t leaves its buffer.  A read that comes before this sees an older store, so it
 * must not receive what this one publishes: the race behind it would be hidden, and with it a wide
 * access that has to be divided (wide.h).
 */
static void publish_flushed(struct races_state *s, uint32_t t, uint64_t object)
{
	for (size_t i = 0; i < s->unflushed.len; i++) {
		struct unflushed *u = &s->unflushed.at[i];
		if (u->thread != t || u->object != object)
			continue;
		struct vc *at = hb_left(&s->hb, (struct sync_edge){ object, VIA_OBJECT });
		vc_clear(at);
		vc_join(at, &u->clock);
		vc_release(&u->clock);
		s->unflushed.len--;
		memmove(u, u + 1, (s->unflushed.len - i) * sizeof(*u));
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
		    p->bytes & bytes && !hb_covers(&s->hb, a->thread, p->thread, p->time))
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

/* `is_alone`: no other thread has been created, so the access is before all that others do, and is
 * not kept. */
static void look_at_access(struct races *r, uint32_t t, const struct execution *x, size_t position,
			   bool is_alone)
{
	struct races_state *s = r->state;
	const struct wire_op *op = &x->ops[position];
	bool fails = op->kind == EV_RMW && op->flags & EVF_FAILED;
	bool reads = op->kind == EV_READ || op->kind == EV_RMW,
	     writes = op->kind != EV_READ && !fails;
	bool is_atomic = op->kind != EV_FREE && op->mode != MODE_PLAIN;
	uint8_t kind = is_failing(x, position) ? EV_FAILURE : op->kind;
	struct access a = { t, hb_time(&s->hb, t), kind, is_atomic, writes, position };
	uint64_t end = op->object + (op->size ? op->size : 1);
	for (uint64_t word = op->object >> 3; word <= (end - 1) >> 3 && !is_alone; word++) {
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
		if (FAULT(RACE_COUNTED_BEFORE_FORK))
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
		if (FAULT(RACE_OCCURRENCE_IS_ONE))
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
	uint32_t t = 0, forks = 0;
	bool is_whole = true;
	OPS_EACH (op, x->ops, x->ops_count) {
		bool is_alone = !forks;
		if (FAULT(RACE_BEFORE_SECOND_FORK_MISSED))
			is_alone = forks < 2;
		forks += op->kind == EV_FORK;
		if (op->kind == OP_STEP) {
			t = (uint32_t)op->object;
			is_whole &= t < THREADS_LIMIT;
			continue;
		}
		if (t >= THREADS_LIMIT)
			continue;
		if (op_is_left_frame(op))
			continue;
		if (is_access(op->kind))
			look_at_access(r, t, x, (size_t)(op - x->ops), is_alone);
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
	hb_release(&r->state->hb);
	drop_unflushed(r->state);
	vec_release(&r->state->unflushed);
	for (size_t i = 0; i < THREADS_LIMIT; i++) {
		vc_release(&r->state->acquired[i]);
		vc_release(&r->state->released[i]);
	}
	vec_release(&r->state->pasts);
	map_release(&r->state->past_of);
	vec_release(&r->state->news);
	map_release(&r->state->occurrences);
	map_release(&r->state->positions);
	mem_free(r->state);
}
