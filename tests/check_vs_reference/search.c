/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The searches.
 *
 * States are remembered by 128 bits of a hash.  Two different states of one search fall together
 * with a chance of less than 2^-80 for the numbers of states here.
 *
 * Classes.  Two moves of a schedule are dependent if
 *   - they are of the same thread, and neither is a flush, or
 *   - both touch the same object, and not both read it, both share it, or both post it.
 * A store that is buffered touches nothing, its flush changes the bytes; a load of bytes that are
 * still in the own buffer does not touch them.  (That a flush comes after its store holds in
 * every schedule, and needs no relation.) Objects are the bytes of memory, the blocks of the heap
 * (by their bytes: free changes them all), mutexes, rwlocks, spin locks, condition variables,
 * semaphores, barriers, once-controls, threads (for join), the creation of threads, and the
 * output of the process with its end.  A load, a failed compare-exchange and a failed try read;
 * so does a timeout, except at a condition variable, whose queue it changes; taking and giving
 * back an rwlock for reading shares it, unless a writer waits that comes first; a post of a
 * semaphore posts it; everything else changes what it touches. Two schedules belong to one class
 * if one becomes the other by swapping neighbours that are not dependent. The class is
 * represented by its Foata form: each move is put into the layer behind the last move that it
 * depends on, and within a layer moves are ordered by thread.
 */
#include "search.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

/* ---- a set of hashes ---- */

struct hash {
	uint64_t a, b;
	uint32_t number; /* how many were there before it */
};
struct seen {
	struct hash *slots; /* a and b are 0: free */
	uint64_t size, count;
};

static void mix(struct hash *h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	for (uint64_t word; n; n -= n < 8 ? n : 8, p += 8) {
		word = 0;
		memcpy(&word, p, n < 8 ? n : 8);
		h->a = (h->a ^ word) * 0x9fb21c651e98df25ull;
		h->a ^= h->a >> 29;
		h->b = (h->b + word) * 0xd6e8feb86659fd93ull;
		h->b ^= h->b >> 31;
	}
}

static struct hash hash_state(const struct state *s)
{
	struct hash h = { 1, 2, 0 };
	mix(&h, s, offsetof(struct state, output));
	mix(&h, s->output, s->written);
	for (unsigned t = 0; t < THREADS_MAX; t++)
		mix(&h, s->buffer[t], s->thread[t].buffered * sizeof(s->buffer[t][0]));
	return h;
}

static void *reallocate(void *old, size_t size)
{
	void *p = realloc(old, size);
	if (!p)
		abort();
	return p;
}

static struct hash *slot_for(const struct seen *set, struct hash h)
{
	uint64_t i = h.a & (set->size - 1);
	while ((set->slots[i].a || set->slots[i].b) &&
	       (set->slots[i].a != h.a || set->slots[i].b != h.b))
		i = (i + 1) & (set->size - 1);
	return &set->slots[i];
}

/* Its number; whether it was new. */
static bool seen_add(struct seen *set, struct hash h, uint32_t *number)
{
	if (set->count * 2 >= set->size) {
		struct seen larger = { NULL, set->size ? set->size * 4 : 1024, set->count };
		larger.slots = reallocate(NULL, larger.size * sizeof(struct hash));
		memset(larger.slots, 0, larger.size * sizeof(struct hash));
		for (uint64_t i = 0; i < set->size; i++)
			if (set->slots[i].a || set->slots[i].b)
				*slot_for(&larger, set->slots[i]) = set->slots[i];
		free(set->slots);
		*set = larger;
	}
	h.a |= h.a == 0 && h.b == 0;
	struct hash *slot = slot_for(set, h);
	bool is_new = !slot->a && !slot->b;
	if (is_new) {
		h.number = (uint32_t)set->count++;
		*slot = h;
	}
	*number = slot->number;
	return is_new;
}

/* ---- outcomes of one execution ---- */

static void read_outcome(const struct state *s, struct outcome *x)
{
	memset(x, 0, sizeof(*x));
	x->end = s->end;
	x->status = s->end == END_EXIT ? s->status : 0;
	x->written = s->written;
	memcpy(x->output, s->output, s->written);
}

/* Nobody can go on, or only those could whom nobody wakes, which need not happen. */
static void set_stuck(const struct machine *m, struct state *s)
{
	s->end = machine_spins(m, s) ? END_LIVELOCK : END_DEADLOCK;
}

/* ---- all outcomes ---- */

/*
 * Loops of several instructions lead back to states that were seen, so states are put together to
 * the strongly connected components of their graph, by Tarjan's algorithm.  A component that no
 * move leaves is where the program stays for ever: one state in which nobody can go on, or the
 * turns of loops that nobody ends.  Output only grows, so all states of a component have the
 * same.
 */
struct node {
	uint32_t low; /* the smallest number that is known to be in its component */
	bool is_left; /* some move leads out of its component */
	bool is_done; /* its component is complete */
};
struct search {
	const struct machine *m;
	struct seen seen;
	struct node *nodes;	/* by number */
	uint32_t *open, opened; /* those whose component is not complete, in order */
	struct outcomes *outcomes;
	uint64_t limit;
};

static void note_end(const struct state *s, struct outcomes *o)
{
	struct outcome x;
	read_outcome(s, &x);
	outcomes_add(o, &x);
}

/* The state with this number is the first one of its component, which is complete. */
static void close_component(struct search *se, const struct state *s, uint32_t number)
{
	bool is_left = false, is_single = se->open[se->opened - 1] == number;
	uint32_t member;
	do {
		member = se->open[--se->opened];
		se->nodes[member].is_done = true;
		is_left |= se->nodes[member].is_left;
	} while (member != number);
	if (is_left)
		return;
	struct state stuck = *s;
	set_stuck(se->m, &stuck);
	if (!is_single)
		stuck.end = END_LIVELOCK;
	note_end(&stuck, se->outcomes);
}

static bool visit(struct search *se, const struct state *s, uint32_t number);

/* After a move from that state.  A wakeup without a cause need not happen, so it leads nowhere. */
static bool go_on(struct search *se, uint32_t from, const struct state *next, bool must_happen)
{
	uint32_t to;
	if (next->end) {
		note_end(next, se->outcomes);
		se->nodes[from].is_left |= must_happen;
		return true;
	}
	if (seen_add(&se->seen, hash_state(next), &to) && !visit(se, next, to))
		return false;
	if (se->nodes[to].is_done)
		se->nodes[from].is_left |= must_happen;
	else if (se->nodes[to].low < se->nodes[from].low)
		se->nodes[from].low = se->nodes[to].low;
	return true;
}

static bool visit(struct search *se, const struct state *s, uint32_t number)
{
	struct move moves[MOVES_MAX];
	struct state next;
	if (number >= se->limit)
		return false;
	se->nodes[number] = (struct node){ .low = number };
	se->open[se->opened++] = number;
	unsigned n = machine_moves(se->m, s, moves);
	for (unsigned i = 0; i < n; i++) {
		next = *s;
		machine_apply(se->m, &next, moves[i], NULL);
		if (!memcmp(&next, s, sizeof(next)))
			continue;
		if (!go_on(se, number, &next, moves[i].kind != MOVE_SPURIOUS))
			return false;
	}
	if (se->nodes[number].low == number)
		close_component(se, s, number);
	return true;
}

bool search_outcomes(const struct machine *m, uint64_t limit, struct outcomes *o, uint64_t *states)
{
	struct search se = { .m = m, .outcomes = o, .limit = limit };
	struct state s;
	uint32_t first;
	se.nodes = reallocate(NULL, limit * sizeof(*se.nodes));
	se.open = reallocate(NULL, limit * sizeof(*se.open));
	machine_start(m, &s);
	bool all = true;
	if (s.end)
		note_end(&s, o);
	else if (seen_add(&se.seen, hash_state(&s), &first))
		all = visit(&se, &s, first);
	*states = se.seen.count;
	free(se.seen.slots);
	free(se.nodes);
	free(se.open);
	return all;
}

/* ---- random walks ---- */

#define WALK_MAX 5000

bool search_walk(const struct machine *m, uint64_t *random, struct outcome *x)
{
	struct state s, next;
	machine_start(m, &s);
	for (unsigned steps = 0; !s.end; steps++) {
		if (steps == WALK_MAX)
			return false;
		struct move moves[MOVES_MAX];
		unsigned n = machine_moves(m, &s, moves), left = n;
		/* Those that change nothing are drawn and put aside. */
		while (left) {
			unsigned i = (unsigned)(random_next(random) % left);
			next = s;
			machine_apply(m, &next, moves[i], NULL);
			if (memcmp(&next, &s, sizeof(s)))
				break;
			moves[i] = moves[--left];
		}
		if (left)
			s = next;
		else
			set_stuck(m, &s);
	}
	read_outcome(&s, x);
	return true;
}

/* ---- every schedule, and classes of schedules ---- */

#define DEPTH_MAX 200

struct done {
	struct footprint f;
	uint8_t thread, is_flush, kind;
	uint8_t which; /* choice, or the address of a flush */
	unsigned layer;
};
struct schedules {
	const struct machine *m;
	struct seen classes;
	struct outcomes *outcomes;
	uint64_t limit, count;
	struct done path[DEPTH_MAX];
	unsigned depth;
};

static bool meet(const struct footprint *a, const struct footprint *b)
{
	for (unsigned x = 0; x < USES; x++)
		for (unsigned y = 0; y < USES; y++) {
			bool commute = x == y && x != USE_CHANGE;
			if (!commute && ((a->objects[x][0] & b->objects[y][0]) ||
					 (a->objects[x][1] & b->objects[y][1])))
				return true;
		}
	return false;
}

static bool dependent(const struct done *a, const struct done *b)
{
	return (a->thread == b->thread && !a->is_flush && !b->is_flush) || meet(&a->f, &b->f);
}

static unsigned layer_of(const struct schedules *sc, const struct done *d)
{
	unsigned layer = 0;
	for (unsigned i = 0; i < sc->depth; i++)
		if (sc->path[i].layer >= layer && dependent(&sc->path[i], d))
			layer = sc->path[i].layer + 1;
	return layer;
}

static int by_layer(const void *a, const void *b)
{
	const struct done *x = a, *y = b;
	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->is_flush != y->is_flush)
		return x->is_flush < y->is_flush ? -1 : 1;
	return (x->which > y->which) - (x->which < y->which);
}

static void note_class(struct schedules *sc)
{
	struct done sorted[DEPTH_MAX];
	struct hash h = { 3, 4, 0 };
	memcpy(sorted, sc->path, sc->depth * sizeof(sorted[0]));
	qsort(sorted, sc->depth, sizeof(sorted[0]), by_layer);
	for (unsigned i = 0; i < sc->depth; i++) {
		const struct done *d = &sorted[i];
		uint64_t word = d->layer | (uint64_t)d->thread << 16 | (uint64_t)d->is_flush << 24 |
				(uint64_t)d->which << 32 | (uint64_t)d->kind << 40;
		mix(&h, &word, sizeof(word));
	}
	uint32_t number;
	seen_add(&sc->classes, h, &number);
}

static bool run_on(struct schedules *sc, const struct state *s)
{
	struct move moves[MOVES_MAX];
	struct state next;
	bool moved = false;
	unsigned n = s->end ? 0 : machine_moves(sc->m, s, moves);
	for (unsigned i = 0; i < n; i++) {
		bool is_flush = moves[i].kind == MOVE_FLUSH;
		struct done d = { .thread = moves[i].thread,
				  .is_flush = is_flush,
				  .kind = moves[i].kind };
		d.which = is_flush ? s->buffer[d.thread][moves[i].choice].addr : moves[i].choice;
		next = *s;
		machine_apply(sc->m, &next, moves[i], &d.f);
		if (!memcmp(&next, s, sizeof(next)))
			continue;
		moved |= moves[i].kind != MOVE_SPURIOUS;
		if (sc->depth == DEPTH_MAX)
			return false;
		d.layer = layer_of(sc, &d);
		sc->path[sc->depth++] = d;
		if (!run_on(sc, &next))
			return false;
		sc->depth--;
	}
	if (moved)
		return true;
	next = *s;
	if (!next.end)
		set_stuck(sc->m, &next);
	if (sc->outcomes)
		note_end(&next, sc->outcomes);
	note_class(sc);
	return ++sc->count <= sc->limit;
}

bool search_schedules(const struct machine *m, uint64_t limit, struct outcomes *o,
		      uint64_t *schedules, uint64_t *classes)
{
	struct schedules *sc = reallocate(NULL, sizeof(*sc));
	struct state s;
	memset(sc, 0, sizeof(*sc));
	sc->m = m;
	sc->outcomes = o;
	sc->limit = limit;
	machine_start(m, &s);
	bool all = run_on(sc, &s);
	*schedules = sc->count;
	*classes = sc->classes.count;
	free(sc->classes.slots);
	free(sc);
	return all;
}
