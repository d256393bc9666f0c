/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates for deadlocks.  A *wait* is an acquire of a lock, or a join, with the locks that its
 * thread holds then.  Waits of different threads form a cycle if each waits for what the next one
 * holds, or for the end of its thread.  No two of them may hold locks that exclude each other: a
 * lock around all of them makes the cycle impossible.  That each thread is about to do its part
 * at the same time is the question.
 *
 * Waits of one thread, at one place, for the same lock with the same locks held are one node of a
 * graph; those that are in no cycle, which are nearly all, are taken out, and cycles are looked
 * for in the rest, short ones first.  In each cycle the operations that are nearest to each other
 * in the trace are taken, of those that nothing puts in order, and of all cycles with the same
 * places the nearest ones are asked about: what is far apart has more between it that must come
 * first.
 */
#include "base/hash.h"
#include "oracle/from_trace.h"
#include "predict/finder.h"

#define STEPS_MAX 400000     /* of the search for cycles of one length */
#define INSTANCES_MAX 4096   /* operations of one node that are remembered */
#define COMBINATIONS_MAX 256 /* of operations of one cycle that are all looked at */
#define CYCLES_MAX 32	     /* with the same places that are asked about */

struct node {
	uint32_t thread;
	uint32_t lock;
	uint32_t joined; /* thread that it waits for; UINT32_MAX: it is for a lock */
	loc_id place;
	bool is_shared, is_out;
	uint64_t left_out; /* operations that are not remembered */
	VEC(op_id) held;
	VEC(op_id) ops; /* ascending */
	/* of each of them: how many operations of each thread must come before it */
	VEC(uint32_t) clocks;
};

struct node_list {
	VEC(size_t) nodes;
};

/* Cycles with the same places: the nearest ones. */
struct kept {
	uint64_t key, count, left_out;
	VEC(struct cycle {
		uint64_t distance;
		VEC(op_id) ops;
	})
	best;
};

struct graph {
	struct finder *f;
	VEC(struct node) list;
	struct map seen;
	struct node_list *by_lock; /* that is held */
	struct node_list *by_thread;
	VEC(size_t) cycle;
	size_t length; /* of the cycles that are looked for now */
	uint64_t steps;
	VEC(struct kept) kept;
	struct map kept_of; /* key to index */
	/* two nodes to whether they have operations that nothing puts in order, plus one */
	struct map meets;
	size_t full; /* keys of this length that have all cycles that can be asked about */
};

static void add_wait(struct graph *g, const struct held *held, op_id op, uint32_t joined)
{
	const struct op *o = &g->f->h->ops.at[op];
	/* One after the other: hash_mix takes the same for (x, y) and (y, x). */
	uint64_t parts[] = { o->thread, finder_place(g->f, op), o->lock, o->is_shared, joined },
		 key = 1;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		key = hash_mix(key, parts[i]);
	for (size_t i = 0; i < held->threads[o->thread].acquires.len; i++) {
		const struct op *a = &g->f->h->ops.at[held->threads[o->thread].acquires.at[i]];
		key = hash_mix(key, (uint64_t)a->lock << 1 | a->is_shared);
	}
	bool is_new;
	uint64_t *number = map_put(&g->seen, key, &is_new);
	if (is_new) {
		*number = g->list.len;
		vec_push(&g->by_thread[o->thread].nodes, g->list.len);
		struct node *x = vec_add(&g->list);
		*x = (struct node){ .thread = o->thread,
				    .lock = o->lock,
				    .joined = joined,
				    .is_shared = o->is_shared,
				    .place = finder_place(g->f, op) };
		for (size_t i = 0; i < held->threads[o->thread].acquires.len; i++) {
			op_id acquire = held->threads[o->thread].acquires.at[i];
			vec_push(&x->held, acquire);
			vec_push(&g->by_lock[g->f->h->ops.at[acquire].lock].nodes, g->list.len - 1);
		}
	}
	struct node *x = &g->list.at[*number];
	if (x->ops.len < INSTANCES_MAX)
		vec_push(&x->ops, op);
	else
		x->left_out++;
}

/* Whether x waits for something that y has. */
static bool waits_for(const struct history *h, const struct node *x, const struct node *y)
{
	if (x->thread == y->thread)
		return false;
	if (x->joined != UINT32_MAX)
		return x->joined == y->thread;
	for (size_t i = 0; i < y->held.len; i++) {
		const struct op *a = &h->ops.at[y->held.at[i]];
		if (a->lock == x->lock && !(a->is_shared && x->is_shared))
			return true;
	}
	return false;
}

/* Whether both can be there at the same time, as far as their locks allow. */
static bool can_be_together(const struct history *h, const struct node *x, const struct node *y)
{
	for (size_t i = 0; i < x->held.len; i++)
		for (size_t k = 0; k < y->held.len; k++) {
			const struct op *a = &h->ops.at[x->held.at[i]],
					*b = &h->ops.at[y->held.at[k]];
			if (a->lock == b->lock && !(a->is_shared && b->is_shared))
				return false;
		}
	return x->thread != y->thread;
}

static const struct node_list *after(const struct graph *g, const struct node *x)
{
	return x->joined != UINT32_MAX ? &g->by_thread[x->joined] : &g->by_lock[x->lock];
}

/* Remove nodes that wait for no other node, or that no node waits for, until nothing changes.
 * Returns how many places are left. */
static size_t trim(struct graph *g)
{
	bool *is_waited_for = mem_alloc(g->list.len + 1);
	for (bool changes = true; changes;) {
		changes = false;
		memset(is_waited_for, 0, g->list.len);
		for (size_t i = 0; i < g->list.len; i++) {
			struct node *x = &g->list.at[i];
			const struct node_list *next = after(g, x);
			bool waits = false;
			for (size_t k = 0; !x->is_out && k < next->nodes.len; k++) {
				size_t n = next->nodes.at[k];
				if (g->list.at[n].is_out || !waits_for(g->f->h, x, &g->list.at[n]))
					continue;
				waits = is_waited_for[n] = true;
			}
			changes |= !waits && !x->is_out;
			x->is_out |= !waits;
		}
		for (size_t i = 0; i < g->list.len; i++) {
			changes |= !is_waited_for[i] && !g->list.at[i].is_out;
			g->list.at[i].is_out |= !is_waited_for[i];
		}
	}
	mem_free(is_waited_for);
	struct map places = { 0 };
	for (size_t i = 0; i < g->list.len; i++)
		if (!g->list.at[i].is_out)
			map_put(&places, g->list.at[i].place, NULL);
	size_t count = places.len;
	map_release(&places);
	return count;
}

/* ---- cycles ---- */

/* Whether two operations of nodes can be pending together: neither must come before what the
 * other needs. */
static bool is_unordered(const struct graph *g, const struct node *x, size_t i,
			 const struct node *y, size_t k)
{
	const struct history *h = g->f->h;
	return x->clocks.at[i * h->threads + y->thread] <= h->ops.at[y->ops.at[k]].own &&
	       y->clocks.at[k * h->threads + x->thread] <= h->ops.at[x->ops.at[i]].own;
}

/* The operations of a node, and what must come before them, are in order, so it takes one walk
 * through both. */
static bool can_meet(struct graph *g, size_t first, size_t second)
{
	const struct history *h = g->f->h;
	uint64_t *known = map_put(&g->meets, first * g->list.len + second, NULL);
	const struct node *x = &g->list.at[first], *y = &g->list.at[second];
	if (*known)
		return *known - 1;
	size_t k = 0;
	bool meets = false;
	for (size_t i = 0; i < x->ops.len && !meets; i++) {
		g->steps++;
		while (k < y->ops.len &&
		       h->ops.at[y->ops.at[k]].own < x->clocks.at[i * h->threads + y->thread])
			k++;
		meets = k < y->ops.len && is_unordered(g, x, i, y, k);
	}
	*known = meets + 1ull;
	return meets;
}

static bool are_unordered(const struct graph *g, const size_t *at)
{
	for (size_t i = 0; i < g->cycle.len; i++)
		for (size_t k = 0; k < i; k++)
			if (!is_unordered(g, &g->list.at[g->cycle.at[i]], at[i],
					  &g->list.at[g->cycle.at[k]], at[k]))
				return false;
	return true;
}

static void keep(struct graph *g, struct kept *k, struct cycle new)
{
	size_t most = CYCLES_MAX, worst = 0;
	for (size_t i = 1; i < k->best.len; i++)
		worst = k->best.at[i].distance > k->best.at[worst].distance ? i : worst;
	if (k->best.len < most) {
		vec_push(&k->best, new);
		g->full += k->best.len == most;
		return;
	}
	k->left_out++;
	if (new.distance < k->best.at[worst].distance) {
		vec_release(&k->best.at[worst].ops);
		k->best.at[worst] = new;
	} else {
		vec_release(&new.ops);
	}
}

/* One operation of each node of the cycle, if nothing puts them in order. */
static bool keep_combination(struct graph *g, struct kept *k, const size_t *at)
{
	struct cycle new = { 0 };
	op_id low = OP_NONE, high = 0;
	if (!are_unordered(g, at))
		return false;
	for (size_t i = 0; i < g->cycle.len; i++) {
		op_id op = g->list.at[g->cycle.at[i]].ops.at[at[i]];
		low = op < low ? op : low;
		high = op > high ? op : high;
		vec_push(&new.ops, op);
	}
	new.distance = high - low;
	keep(g, k, new);
	return true;
}

/* The next combination of all; false after the last one. */
static bool next_of_all(const struct graph *g, size_t *at)
{
	for (size_t i = 0; i < g->cycle.len; i++) {
		if (++at[i] < g->list.at[g->cycle.at[i]].ops.len)
			return true;
		at[i] = 0;
	}
	return false;
}

/* The next one on the walk through the trace that meets each operation with the nearest of the
 * others. */
static bool next_near(const struct graph *g, size_t *at)
{
	size_t lowest = 0;
	op_id low = OP_NONE;
	for (size_t i = 0; i < g->cycle.len; i++) {
		op_id op = g->list.at[g->cycle.at[i]].ops.at[at[i]];
		lowest = op < low ? i : lowest;
		low = op < low ? op : low;
	}
	return ++at[lowest] < g->list.at[g->cycle.at[lowest]].ops.len;
}

/* Operations of the nodes of a cycle: all combinations if there are few, those that are near
 * otherwise. */
static void keep_combinations(struct graph *g, struct kept *k)
{
	uint64_t combinations = 1, looked = 0;
	size_t *at = mem_zero(g->cycle.len, sizeof(*at));
	for (size_t i = 0; i < g->cycle.len && combinations < UINT32_MAX; i++)
		combinations *= g->list.at[g->cycle.at[i]].ops.len;
	bool is_all = combinations <= COMBINATIONS_MAX, is_found = false;
	do {
		looked++;
		g->steps++;
		is_found |= keep_combination(g, k, at);
	} while (!finder_is_over(g->f) && (is_all ? next_of_all(g, at) : next_near(g, at)));
	k->count += is_found;
	k->left_out += combinations - looked;
	mem_free(at);
}

static void tell_cycle(struct graph *g)
{
	VEC(loc_id) places = { 0 };
	for (size_t i = 0; i < g->cycle.len; i++)
		vec_push(&places, g->list.at[g->cycle.at[i]].place);
	uint64_t key = finder_key(FINDING_DEADLOCK, places.at, places.len, true);
	vec_release(&places);
	bool is_new;
	uint64_t *index = map_put(&g->kept_of, key, &is_new);
	if (is_new) {
		*index = g->kept.len;
		vec_add(&g->kept)->key = key;
	}
	keep_combinations(g, &g->kept.at[*index]);
}

/*
 * Go on from the last wait of the chain; the first one is that of the lowest number, so each
 * cycle is met once.  Each wait is of another thread, so no chain is longer than there are
 * threads.
 */
static void extend(struct graph *g)
{
	const struct history *h = g->f->h;
	const struct node *last = &g->list.at[vec_last(&g->cycle)];
	bool is_cycle = g->cycle.len > 1 && waits_for(h, last, &g->list.at[g->cycle.at[0]]);
	if (is_cycle && g->cycle.len == g->length)
		tell_cycle(g);
	if (is_cycle || g->cycle.len == g->length)
		return;
	const struct node_list *next = after(g, last);
	for (size_t i = 0; i < next->nodes.len; i++) {
		size_t n = next->nodes.at[i];
		if (++g->steps >= STEPS_MAX)
			return;
		bool fits = n > g->cycle.at[0] && !g->list.at[n].is_out &&
			    waits_for(h, last, &g->list.at[n]);
		for (size_t k = 0; fits && k < g->cycle.len; k++)
			fits = can_be_together(h, &g->list.at[g->cycle.at[k]], &g->list.at[n]) &&
			       can_meet(g, g->cycle.at[k], n);
		if (!fits)
			continue;
		vec_push(&g->cycle, n);
		extend(g);
		g->cycle.len--;
	}
}

/* How many different sets of places cycles of one length can have at most: those of one place are
 * one. */
static size_t sets_of(size_t places, size_t length)
{
	size_t sets = 1;
	for (size_t k = 1; k <= length && sets < STEPS_MAX; k++)
		sets = sets * (places + k - 1) / k;
	return sets;
}

/* Every wait from which a thread does not come back by itself. */
static void collect(struct graph *g)
{
	const struct finder *f = g->f;
	struct held held;
	held_init(&held, f->h);
	for (op_id id = 0; id < f->h->ops.len && !finder_is_over(g->f); id++) {
		const struct op *o = &f->h->ops.at[id];
		uint32_t joined = finder_joined(f, id);
		if (!o->gives_up && (o->kind == OP_ACQUIRE || joined != UINT32_MAX))
			add_wait(g, &held, id, joined);
		held_step(&held, id);
	}
	held_release(&held);
}

/* What must come before the waits that are left. */
static void collect_clocks(struct graph *g)
{
	const struct history *h = g->f->h;
	struct map node_of = { 0 };
	struct must must;
	must_init(&must, h);
	for (size_t i = 0; i < g->list.len; i++)
		for (size_t k = 0; !g->list.at[i].is_out && k < g->list.at[i].ops.len; k++)
			*map_put(&node_of, g->list.at[i].ops.at[k], NULL) = i;
	/* A thread that is about to wait needs only what comes before: a join that has not
	 * happened does not need the end. */
	for (op_id id = 0; id < h->ops.len && !finder_is_over(g->f); id++) {
		const uint64_t *node = map_get(&node_of, id);
		for (uint32_t t = 0; node && t < h->threads; t++)
			vec_push(&g->list.at[*node].clocks,
				 must_clock(&must, h->ops.at[id].thread)[t]);
		must_step(&must, id);
	}
	must_release(&must);
	map_release(&node_of);
}

static void propose(struct graph *g)
{
	for (size_t i = 0; i < g->kept.len; i++) {
		struct kept *k = &g->kept.at[i];
		for (size_t n = 0; n < k->best.len; n++) {
			struct candidate *c = finder_add_chosen(g->f, FINDING_DEADLOCK, k->key);
			c->distance = k->best.at[n].distance;
			for (size_t m = 0; m < k->best.at[n].ops.len; m++) {
				vec_push(&c->ops, k->best.at[n].ops.at[m]);
				vec_push(&c->pending, k->best.at[n].ops.at[m]);
			}
			vec_release(&k->best.at[n].ops);
		}
		finder_count(g->f, k->key, k->count, k->left_out);
		if (!k->best.len)
			g->f->out->left_out += k->left_out;
		vec_release(&k->best);
	}
}

static void release(struct graph *g)
{
	for (size_t i = 0; i < g->list.len; i++) {
		vec_release(&g->list.at[i].held);
		vec_release(&g->list.at[i].ops);
		vec_release(&g->list.at[i].clocks);
	}
	for (uint32_t i = 0; i < g->f->h->locks; i++)
		vec_release(&g->by_lock[i].nodes);
	for (uint32_t t = 0; t < g->f->h->threads; t++)
		vec_release(&g->by_thread[t].nodes);
	mem_free(g->by_lock);
	mem_free(g->by_thread);
	vec_release(&g->cycle);
	vec_release(&g->list);
	vec_release(&g->kept);
	map_release(&g->kept_of);
	map_release(&g->seen);
	map_release(&g->meets);
}

void find_deadlocks(struct finder *f)
{
	struct graph g = { .f = f };
	g.by_lock = mem_zero(f->h->locks + 1ull, sizeof(*g.by_lock));
	g.by_thread = mem_zero(f->h->threads + 1ull, sizeof(*g.by_thread));
	collect(&g);
	size_t places = trim(&g);
	bool is_over = false;
	if (places)
		collect_clocks(&g);
	for (g.length = 2; places && g.length <= f->h->threads; g.length++) {
		g.steps = g.full = 0;
		for (size_t i = 0; i < g.list.len; i++) {
			g.cycle.len = 0;
			vec_push(&g.cycle, i);
			if (!g.list.at[i].is_out)
				extend(&g);
		}
		/* What was not looked at may be a deadlock, unless there are enough of all. */
		is_over |= g.steps >= STEPS_MAX && g.full < sets_of(places, g.length);
	}
	f->out->unknown += is_over;
	for (size_t i = 0; i < g.list.len; i++)
		f->out->left_out += g.list.at[i].is_out ? 0 : g.list.at[i].left_out;
	propose(&g);
	release(&g);
}
