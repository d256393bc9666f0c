/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock orders: an edge from a to b means that a thread requested b while it held a.  A cycle whose
 * edges were made by different threads, without a further lock that is held at two of them (a
 * gate lock), may be a deadlock in another run.  There is no evidence that such a run exists, so
 * it is reported as potential.
 *
 * An edge is kept once for each pair of locks, with thread, stack and gate locks of the first
 * time.  A new edge starts a search for cycles of up to four locks.
 */
#include "run/order.h"

#include "run/found.h"
#include "run/guard.h"
#include "run/lock.h"
#include "run/memory.h"
#include "run/object.h"
#include "run/run.h"
#include "run/thr.h"

#define EDGES (1u << 17)
#define GUARDS 6
#define CYCLE_MAX 4

struct edge {
	uint32_t from, to, next; /* next with the same `from` */
	uint32_t uid, stack, from_stack;
	uint32_t slot, epoch;
	uint32_t guards[GUARDS]; /* other locks held */
	uint8_t guard_count;
	bool is_guarded; /* by more than GUARDS locks */
};

static struct {
	uint32_t lock, count;
	struct edge *at;
} edges;

static bool shares_guard(const struct edge *a, const struct edge *b)
{
	for (unsigned i = 0; i < a->guard_count; i++)
		for (unsigned k = 0; k < b->guard_count; k++)
			if (a->guards[i] == b->guards[k])
				return true;
	return false;
}

/* Two edges can be part of one deadlock: of two threads, without a common guard. */
static bool is_compatible(const struct edge *a, const struct edge *b)
{
	return a->uid != b->uid && !a->is_guarded && !b->is_guarded && !shares_guard(a, b);
}

/* Extends the path by edges until it is back at the lock that the first one starts from. */
static bool find_cycle(struct edge *path[CYCLE_MAX], unsigned n)
{
	for (uint32_t i = g_objects[path[n - 1]->to].first_edge; i; i = edges.at[i].next) {
		struct edge *e = &edges.at[i];
		bool is_possible = true;
		for (unsigned k = 0; k < n && is_possible; k++)
			is_possible = is_compatible(path[k], e) && path[k]->to != e->to;
		if (e->to == path[0]->from)
			is_possible = is_compatible(path[n - 1], e) && is_compatible(path[0], e);
		if (!is_possible)
			continue;
		path[n] = e;
		if (e->to == path[0]->from || (n + 1 < CYCLE_MAX && find_cycle(path, n + 1)))
			return true;
	}
	return false;
}

static bool has_edge(uint32_t from, uint32_t to)
{
	for (uint32_t i = g_objects[from].first_edge; i; i = edges.at[i].next)
		if (edges.at[i].to == to)
			return true;
	return false;
}

static struct edge *add_edge(struct thr *t, const struct held *h, uint32_t to, uint32_t stack)
{
	if (!edges.at) {
		edges.at = run_map(EDGES * sizeof(struct edge));
		edges.count = 1;
	}
	if (edges.count == EDGES)
		return NULL;
	struct edge *e = &edges.at[edges.count];
	*e = (struct edge){ .from = h->lock,
			    .to = to,
			    .next = g_objects[h->lock].first_edge,
			    .uid = t->uid,
			    .stack = stack,
			    .from_stack = h->stack,
			    .slot = t->slot,
			    .epoch = t->epoch };
	for (uint32_t i = 0; i < t->held_count; i++) {
		if (t->held[i].lock == h->lock)
			continue;
		if (e->guard_count < GUARDS)
			e->guards[e->guard_count++] = t->held[i].lock;
		else
			e->is_guarded = true;
	}
	g_objects[to].is_edge_target = true;
	__atomic_store_n(&g_objects[h->lock].first_edge, edges.count, __ATOMIC_RELEASE);
	edges.count++;
	return e;
}

void lock_order_acquire(struct thr *t, uint32_t lock, uint32_t stack)
{
	if (!run_state.is_parallel || lock_is_held(t, lock))
		return;
	for (uint32_t i = 0; i < t->held_count; i++) {
		struct edge *path[CYCLE_MAX] = { 0 };
		if (has_edge(t->held[i].lock, lock))
			continue;
		run_lock(&edges.lock);
		bool is_cycle = false;
		if (!has_edge(t->held[i].lock, lock))
			path[0] = add_edge(t, &t->held[i], lock, stack);
		if (path[0])
			is_cycle = find_cycle(path, 1);
		run_unlock(&edges.lock);
		if (!is_cycle)
			continue;
		struct found f = {
			.kind = FINDING_LOCK_ORDER,
			.status = RUN_POTENTIAL,
			.address = g_objects[lock].address,
			.thr = t,
			.act = ACT_LOCK,
			.epoch = t->epoch,
			.stack = stack,
			.past = { .slot = (uint16_t)path[1]->slot,
				  .epoch = path[1]->epoch,
				  .act = ACT_LOCK,
				  .stack = path[1]->stack,
				  .address = g_objects[path[1]->to].address },
		};
		run_found(&f);
	}
}

/* The edges from and to the lock are removed. */
void lock_order_forget(uint32_t lock)
{
	run_lock(&edges.lock);
	for (uint32_t i = g_objects[lock].first_edge; i; i = edges.at[i].next)
		edges.at[i].to = 0;
	g_objects[lock].first_edge = 0;
	for (uint32_t i = 1; edges.at && g_objects[lock].is_edge_target && i < edges.count; i++)
		if (edges.at[i].to == lock)
			edges.at[i].to = 0;
	run_unlock(&edges.lock);
}
