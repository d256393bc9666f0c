/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data races by vector clocks; see races.h.
 *
 * Each thread has a clock; what one thread publishes in an object (the release of a lock, the post of a
 * semaphore, a release store) is joined by who takes it up there.  For every eight bytes of memory the last
 * read and the last write of each thread are kept, with the bytes that they touched: an access races with one
 * of another thread whose time its own thread's clock does not cover.  Later accesses of the same thread
 * cover earlier ones of the same kind unless they touched other bytes or were atomic, so those stand in
 * entries of their own.
 */
#include "explore/races.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define THREADS_LIMIT RACES_THREADS	/* further threads are not looked at */

struct clock {
	uint32_t at[THREADS_LIMIT];
};

struct past {
	uint32_t thread, time;
	uint8_t bytes, kind;	/* a bit for each byte */
	bool is_atomic, is_write;
	uint64_t pc, address;
	uint32_t next;		/* index plus one */
};

struct races_state {
	struct clock threads[THREADS_LIMIT];
	struct clock acquired[THREADS_LIMIT];	/* relaxed loads: taken up by the next acquire fence */
	struct clock released[THREADS_LIMIT];	/* as of the last release fence */
	uint32_t used;				/* threads */
	VEC(struct clock) clocks;		/* of objects */
	struct map clock_of;			/* object -> index */
	VEC(struct past) pasts;
	struct map past_of;			/* address / 8 -> index plus one of the first */
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
	s->clocks.len = s->pasts.len = 0;
	map_clear(&s->clock_of);
	map_clear(&s->past_of);
}

static struct clock *object_clock(struct races_state *s, uint64_t space, uint64_t object)
{
	bool is_new;
	uint64_t *at = map_put(&s->clock_of, object << 2 | space, &is_new);
	if (is_new) {
		*at = s->clocks.len;
		vec_add(&s->clocks);
	}
	return &s->clocks.at[*at];
}

/* ---- synchronisation ---- */

enum { SPACE_OBJECT, SPACE_CREATED, SPACE_ENDED };

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
		take_up(s, t, SPACE_OBJECT, op->object);
		break;
	case EV_RELEASE:
	case EV_SEM_POST:
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_BARRIER_IN:
	case EV_ONCE_END:
	case EV_ORPHAN:
		publish(s, t, SPACE_OBJECT, op->object);
		break;
	case EV_HIDDEN:
		/* A look at an object that is done: what came before its end is seen. */
		if (!op->value && (op->mode == SYNC_ONCE || op->mode == SYNC_SEMAPHORE))
			take_up(s, t, SPACE_OBJECT, op->object);
		break;
	case EV_FENCE:
		if (op->mode == MODE_ACQUIRE || op->mode == MODE_ACQ_REL || op->mode == MODE_SEQ_CST)
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

/* Atomic accesses publish and take up by their memory orders; a write that is no read-modify-write ends what
 * was there. */
static void synchronise_atomic(struct races_state *s, uint32_t t, const struct wire_op *op, bool reads,
			       bool writes)
{
	struct clock *at = object_clock(s, SPACE_OBJECT, op->object);
	bool acquires = op->mode == MODE_ACQUIRE || op->mode == MODE_CONSUME || op->mode == MODE_ACQ_REL ||
			op->mode == MODE_SEQ_CST;
	bool releases = op->mode >= MODE_RELEASE;
	if (reads)
		join(s, acquires ? &s->threads[t] : &s->acquired[t], at);
	if (!writes)
		return;
	if (!reads)
		memset(at, 0, s->used * sizeof(at->at[0]));
	join(s, at, releases ? &s->threads[t] : &s->released[t]);
	if (releases)
		s->threads[t].at[t]++;
}

/* ---- accesses ---- */

struct access {
	uint32_t thread, time;
	uint64_t address, pc;
	uint8_t kind;
	bool is_atomic, is_write;
};

/* Of a pair, whichever was first: one instruction that races with itself is such a pair, too. */
static uint64_t race_key(uint64_t first_pc, uint64_t second_pc)
{
	uint64_t low = first_pc < second_pc ? first_pc : second_pc;
	return hash_mix(hash_mix(1, low), first_pc ^ second_pc ^ low);
}

/*
 * After a free the access fails, and the repeated execution tells that failure: the pair shows as a race in
 * the other order only, which is taken once it is seen.
 */
static bool shows_more(const struct race *race, unsigned first_kind)
{
	return race->first_kind == EV_FREE && first_kind != EV_FREE;
}

static void report(struct races *r, const struct past *first, const struct access *second,
		   const struct execution *x, size_t position, uint64_t hook)
{
	bool is_new;
	uint64_t *at = map_put(&r->seen, race_key(first->pc, second->pc), &is_new);
	if (is_new) {
		*at = r->found.len;
		vec_push(&r->found, (struct race){0});
	}
	struct race *race = &r->found.at[*at];
	if (is_new || shows_more(race, first->kind)) {
		schedule_release(&race->schedule);
		*race = (struct race){ .first_pc = first->pc,
				       .second_pc = second->pc,
				       .address = first->address,
				       .first_thread = first->thread,
				       .second_thread = second->thread,
				       .first_kind = first->kind,
				       .second_kind = second->kind,
				       .executions = race->executions,
				       .second_hook = hook };
		struct execution beginning = *x;
		beginning.ops_count = position + 1;
		schedule_of(&race->schedule, &beginning);
	}
	race->executions++;
}

/* One word: compare with what others did there, then remember. */
static void touch(struct races *r, const struct access *a, uint8_t bytes, uint64_t word,
		  const struct execution *x, size_t position, uint64_t hook)
{
	struct races_state *s = r->state;
	bool is_new;
	uint64_t *first = map_put(&s->past_of, word, &is_new);
	struct past *same = NULL;
	for (uint32_t i = (uint32_t)*first; i; i = s->pasts.at[i - 1].next) {
		struct past *p = &s->pasts.at[i - 1];
		if (p->thread == a->thread) {
			if (p->is_write == a->is_write && p->is_atomic == a->is_atomic && p->bytes == bytes)
				same = p;
			continue;
		}
		if ((p->is_write || a->is_write) && !(p->is_atomic && a->is_atomic) && p->bytes & bytes &&
		    p->time > s->threads[a->thread].at[p->thread])
			report(r, p, a, x, position, hook);
	}
	if (!same) {
		struct past p = { .next = (uint32_t)*first };
		vec_push(&s->pasts, p);
		*first = s->pasts.len;
		same = &vec_last(&s->pasts);
	}
	uint32_t next = same->next;
	*same = (struct past){ a->thread,   a->time, bytes,	 a->kind, a->is_atomic,
			       a->is_write, a->pc,   a->address, next };
}

static void look_at_access(struct races *r, uint32_t t, const struct wire_op *op, const struct execution *x,
			   size_t position, uint64_t hook)
{
	struct races_state *s = r->state;
	bool fails = op->kind == EV_RMW && op->flags & EVF_FAILED;
	bool reads = op->kind == EV_READ || op->kind == EV_RMW, writes = op->kind != EV_READ && !fails;
	bool is_atomic = op->kind != EV_FREE && op->mode != MODE_PLAIN;
	struct access a = { t, s->threads[t].at[t], op->object, op->pc, op->kind, is_atomic, writes };
	uint64_t end = op->object + (op->size ? op->size : 1);
	for (uint64_t word = op->object >> 3; word <= (end - 1) >> 3; word++) {
		uint64_t low = word << 3 > op->object ? word << 3 : op->object,
			 high = (word + 1) << 3 < end ? (word + 1) << 3 : end;
		uint8_t bytes = (uint8_t)((1u << (high - (word << 3))) - (1u << (low - (word << 3))));
		touch(r, &a, bytes, word, x, position, hook);
	}
	if (is_atomic)
		synchronise_atomic(s, t, op, reads, writes);
}

void races_find(struct races *r, const struct execution *x)
{
	if (!r->state)
		r->state = mem_zero(1, sizeof(*r->state));
	struct races_state *s = r->state;
	reset(s);
	uint32_t t = 0;
	uint64_t hook = 0;
	bool is_whole = true;
	for (size_t i = 0; i < x->ops_count; i++) {
		const struct wire_op *op = &x->ops[i];
		if (op->kind == OP_STEP) {
			t = (uint32_t)op->object;
			hook = op->value;
			is_whole &= t < THREADS_LIMIT;
			while (t < THREADS_LIMIT && s->used <= t) {
				/* Its creation comes before it. */
				uint32_t made = s->used++;
				take_up(s, made, SPACE_CREATED, made);
				s->threads[made].at[made] = 1;
			}
			continue;
		}
		if (op->kind == OP_OUTPUT)
			i += (op->size + sizeof(*op) - 1) / sizeof(*op);
		else if (op->kind == OP_AWAIT)
			i += op->size;
		if (t >= THREADS_LIMIT)
			continue;
		if (op->kind == EV_READ || op->kind == EV_WRITE || op->kind == EV_RMW || op->kind == EV_FREE)
			look_at_access(r, t, op, x, i, hook);
		else
			synchronise(s, t, op);
	}
	r->left_out += !is_whole;
}

void races_merge(struct races *to, struct races *from)
{
	for (size_t i = 0; i < from->found.len; i++) {
		struct race *race = &from->found.at[i];
		bool is_new;
		uint64_t *at = map_put(&to->seen, race_key(race->first_pc, race->second_pc), &is_new);
		if (is_new) {
			*at = to->found.len;
			vec_push(&to->found, *race);
		} else {
			struct race *old = &to->found.at[*at];
			uint64_t executions = old->executions + race->executions;
			bool is_better = shows_more(old, race->first_kind);
			schedule_release(is_better ? &old->schedule : &race->schedule);
			if (is_better)
				*old = *race;
			old->executions = executions;
		}
	}
	to->left_out += from->left_out;
	from->found.len = from->left_out = 0;
	map_clear(&from->seen);
}

void races_release(struct races *r)
{
	for (size_t i = 0; i < r->found.len; i++) {
		schedule_release(&r->found.at[i].schedule);
	}
	vec_release(&r->found);
	map_release(&r->seen);
	if (!r->state)
		return;
	vec_release(&r->state->clocks);
	vec_release(&r->state->pasts);
	map_release(&r->state->clock_of);
	map_release(&r->state->past_of);
	mem_free(r->state);
}
