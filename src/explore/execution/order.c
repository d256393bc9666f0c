/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of moves, by vector clocks; see moves.h.
 *
 * The class of an execution is a number that all equivalent ones have in common: each move is
 * named by its thread, its number there, what it did and its clock, which are the same in every
 * linearisation of one order; the names are summed up, so that it does not matter in which
 * sequence they come.
 */
#include "base/hash.h"
#include "wire/fault.h"
#include "explore/execution/moves.h"

/* Four numbers of moves, which are far below 2^31. */
typedef int32_t four __attribute__((vector_size(16), aligned(4), may_alias));

void clock_join(uint32_t *clock, const uint32_t *other, size_t count)
{
	size_t i = 0;
	for (; i + 4 <= count; i += 4) {
		four a = *(const four *)(clock + i), b = *(const four *)(other + i),
		     is_larger = b > a;
		*(four *)(clock + i) = (b & is_larger) | (a & ~is_larger);
	}
	for (; i < count; i++)
		if (other[i] > clock[i])
			clock[i] = other[i];
}

bool clock_is_within(const uint32_t *clock, const uint32_t *other, size_t count)
{
	size_t i = 0;
	four is_larger = { 0 };
	for (; i + 4 <= count; i += 4)
		is_larger |= *(const four *)(clock + i) > *(const four *)(other + i);
	bool is_so = !(is_larger[0] | is_larger[1] | is_larger[2] | is_larger[3]);
	for (; i < count; i++)
		is_so &= clock[i] <= other[i];
	return is_so;
}

/* Whether the one store must have reached memory before the other may (rt/buffer.c). */
static bool must_precede(const struct stored *a, const struct stored *b)
{
	bool overlap = a->location < b->location + b->size && b->location < a->location + a->size;
	return a->number && a->thread == b->thread && a->number < b->number &&
	       (overlap || b->is_release || a->epoch != b->epoch);
}

/* A move that is before already brings nothing. */
static inline void join_move(const struct moves *h, size_t i, uint32_t *clock)
{
	const struct move *m = &h->moves.at[i];
	if (m->index > clock[m->column])
		clock_join(clock, moves_clock(h, i), h->stride);
}

/* TSO: whether all flushes of the same thread below this one are before it. */
static bool is_queue(const struct moves *h, size_t flush)
{
	return !h->buffers.at[h->moves.at[flush].branch.thread - BUFFERS_FROM].location;
}

/* The next one to look at; NO_MOVE: there are no more. */
static size_t flush_below(const struct moves *h, const struct flushes *f, size_t flush)
{
	size_t below = h->moves.at[flush].flush_before;
	return below == NO_MOVE || (f->known != NO_MOVE && below <= f->known) ? NO_MOVE : below;
}

void moves_join_drained(const struct moves *h, const struct drained *d, uint32_t *clock)
{
	if (!d->high || (d->of.known != NO_MOVE && d->of.last == d->of.known))
		return;
	for (size_t i = d->of.last; i != NO_MOVE; i = flush_below(h, &d->of, i)) {
		const struct stored *s = &h->moves.at[i].flushed;
		if (s->location >= d->high || d->low >= s->location + s->size)
			continue;
		join_move(h, i, clock);
		if (is_queue(h, i))
			return;
	}
}

/*
 * A cycle of waits needs all of its threads to be where they wait.  What a thread waits for there
 * it asked for with an empty buffer, so all its stores had reached memory; if its request
 * is a move of its own, that comes after the flushes.
 */
static void join_asks(const struct moves *h, const struct opset *closes, size_t end,
		      uint32_t *clock)
{
	for (uint32_t a = 0; a < closes->asks_count; a++) {
		const struct ask *ask = &closes->asks[a];
		size_t last = end;
		while (last > 0 && h->moves.at[last - 1].branch.thread != ask->thread)
			last--;
		if (last)
			join_move(h, last - 1, clock);
		for (size_t i = ask->hook != NO_STEP ? end : 0; i-- > 0;) {
			if (FAULT(FLUSH_BEFORE_REQUEST_UNORDERED))
				break;
			if (h->moves.at[i].flushed.number &&
			    h->moves.at[i].flushed.thread == ask->thread)
				join_move(h, i, clock);
		}
	}
}

void moves_clock_before(const struct moves *h, const struct preceded *p, size_t end,
			uint32_t *clock)
{
	if (p->previous != NO_MOVE)
		memcpy(clock, moves_clock(h, p->previous), h->stride * sizeof(*clock));
	else
		memset(clock, 0, h->stride * sizeof(*clock));
	if (p->enabled_by != NO_MOVE)
		clock_join(clock, moves_clock(h, p->enabled_by), h->stride);
	moves_join_drained(h, &p->drained, clock);
	if (p->flushed && p->flushed->number) {
		const struct flushes *f = &p->flushed->before;
		size_t i = f->known != NO_MOVE && f->last == f->known ? NO_MOVE : f->last;
		for (; i != NO_MOVE; i = flush_below(h, f, i))
			if (must_precede(&h->moves.at[i].flushed, p->flushed))
				join_move(h, i, clock);
	}
	if (p->closes)
		join_asks(h, p->closes, end, clock);
}

void moves_make_room(struct moves *h, size_t known, size_t columns)
{
	size_t stride = h->stride ? h->stride : 4;
	while (stride < columns)
		stride *= 2;
	size_t need = h->moves.len * stride;
	if (need > h->clocks.cap) {
		h->clocks.len =
			h->clocks.cap < known * h->stride ? h->clocks.cap : known * h->stride;
		vec_reserve(&h->clocks, need - h->clocks.len);
	}
	if (stride != h->stride) {
		for (size_t i = known; i-- > 0;) {
			memmove(h->clocks.at + i * stride, h->clocks.at + i * h->stride,
				h->stride * sizeof(uint32_t));
			memset(h->clocks.at + i * stride + h->stride, 0,
			       (stride - h->stride) * sizeof(uint32_t));
		}
		h->stride = stride;
	}
	h->clocks.len = need;
}

void moves_order(struct moves *h, size_t number)
{
	const struct move *m = &h->moves.at[number];
	uint32_t *clock = moves_clock(h, number);
	struct preceded preceded = move_preceded(m);
	moves_clock_before(h, &preceded, number, clock);
	for (size_t i = number; i-- > 0;) {
		const struct branch *e = &h->moves.at[i].branch;
		if (e->thread != m->branch.thread && h->moves.at[i].index > clock[e->thread] &&
		    moves_depend(h, e, &m->branch))
			clock_join(clock, moves_clock(h, i), h->stride);
	}
	clock[m->branch.thread] = m->index;
}

/* A buffer gets its number when it is first seen, so it is named by what it is. */
static uint64_t thread_name(const struct moves *h, size_t thread)
{
	if (thread < BUFFERS_FROM || thread - BUFFERS_FROM >= h->buffers.len)
		return hash_mix(1, thread);
	const struct buffer_of *b = &h->buffers.at[thread - BUFFERS_FROM];
	return hash_mix(hash_mix(2, b->thread), b->location);
}

uint64_t moves_class(const struct moves *h)
{
	uint64_t sum = h->moves.len;
	for (size_t i = 0; i < h->moves.len; i++) {
		const struct move *m = &h->moves.at[i];
		uint64_t before = 0;
		for (size_t t = 0; t < h->stride; t++)
			if (moves_clock(h, i)[t])
				before += hash_mix(thread_name(h, t), moves_clock(h, i)[t]);
		sum += hash_mix(hash_mix(thread_name(h, m->branch.thread), m->branch.ops->hash),
				before);
	}
	return sum;
}
