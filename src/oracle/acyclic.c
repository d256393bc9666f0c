/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topological sorting by repeatedly taking the smallest node without predecessors, with a heap.
 * Cycles are found by a breadth-first search in which an edge costs one if it has a label and
 * nothing otherwise.
 */
#include "oracle/acyclic.h"

void acyclic_init(struct acyclic *g, uint32_t nodes)
{
	*g = (struct acyclic){ .nodes = nodes };
	g->first = mem_zero(nodes + 1ull, sizeof(*g->first));
	g->blocked = mem_zero(nodes + 1ull, sizeof(*g->blocked));
	g->distance = mem_zero(nodes + 1ull, sizeof(*g->distance));
	g->by = mem_zero(nodes + 1ull, sizeof(*g->by));
}

void acyclic_clear(struct acyclic *g)
{
	g->edges.len = 0;
	memset(g->first, 0, g->nodes * sizeof(*g->first));
}

void acyclic_release(struct acyclic *g)
{
	vec_release(&g->edges);
	vec_release(&g->queue);
	vec_release(&g->more);
	mem_free(g->first);
	mem_free(g->blocked);
	mem_free(g->distance);
	mem_free(g->by);
	*g = (struct acyclic){ 0 };
}

void acyclic_add(struct acyclic *g, uint32_t from, uint32_t to, int label)
{
	vec_push(&g->edges, ((struct acyclic_edge){ from, to, g->first[from], label }));
	g->first[from] = (uint32_t)g->edges.len;
}

/* ---- sorting ---- */

static void heap_push(struct acyclic *g, uint32_t node)
{
	vec_push(&g->queue, node);
	for (size_t i = g->queue.len - 1; i; i = (i - 1) / 2) {
		uint32_t *up = &g->queue.at[(i - 1) / 2], *here = &g->queue.at[i], x = *up;
		if (*up <= *here)
			break;
		*up = *here;
		*here = x;
	}
}

static uint32_t heap_pop(struct acyclic *g)
{
	uint32_t top = g->queue.at[0], *at = g->queue.at;
	size_t n = --g->queue.len;
	at[0] = at[n];
	for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && at[child + 1] < at[child])
			child++;
		if (at[i] <= at[child])
			break;
		uint32_t x = at[i];
		at[i] = at[child];
		at[child] = x;
	}
	return top;
}

bool acyclic_sort(struct acyclic *g, uint32_t *out)
{
	uint32_t placed = 0;
	memset(g->blocked, 0, g->nodes * sizeof(*g->blocked));
	for (size_t i = 0; i < g->edges.len; i++)
		g->blocked[g->edges.at[i].to]++;
	g->queue.len = 0;
	for (uint32_t n = 0; n < g->nodes; n++)
		if (!g->blocked[n])
			heap_push(g, n);
	while (g->queue.len) {
		uint32_t node = heap_pop(g);
		out[placed++] = node;
		for (uint32_t e = g->first[node]; e; e = g->edges.at[e - 1].next)
			if (!--g->blocked[g->edges.at[e - 1].to])
				heap_push(g, g->edges.at[e - 1].to);
	}
	return placed == g->nodes;
}

/* ---- cycles ---- */

/* Distances from a node, in labels, among nodes that could not be placed; level by level. */
static void search(struct acyclic *g, uint32_t from, uint32_t to)
{
	memset(g->distance, 0xff, g->nodes * sizeof(*g->distance));
	g->work += g->nodes / 16; /* cost of the memset */
	g->queue.len = g->more.len = 0;
	vec_push(&g->queue, from);
	g->distance[from] = 0;
	for (uint32_t level = 0; g->queue.len && g->distance[to] > level; level++) {
		g->more.len = 0;
		for (size_t i = 0; i < g->queue.len; i++) {
			uint32_t node = g->queue.at[i];
			for (uint32_t e = g->first[node]; e; e = g->edges.at[e - 1].next) {
				const struct acyclic_edge *edge = &g->edges.at[e - 1];
				uint32_t cost = level + (edge->label != 0);
				if (!g->blocked[edge->to] || g->distance[edge->to] <= cost)
					continue;
				g->distance[edge->to] = cost;
				g->by[edge->to] = e - 1;
				if (cost > level)
					vec_push(&g->more, edge->to);
				else
					vec_push(&g->queue, edge->to);
			}
		}
		g->work += g->queue.len;
		/* A node of the next level may have been reached at this level's cost meanwhile. */
		g->queue.len = 0;
		for (size_t i = 0; i < g->more.len; i++)
			if (g->distance[g->more.at[i]] == level + 1)
				vec_push(&g->queue, g->more.at[i]);
		g->work += g->more.len;
	}
}

size_t acyclic_cycle(struct acyclic *g, uint32_t edge, uint32_t *cycle, size_t room)
{
	uint32_t from = g->edges.at[edge].from, to = g->edges.at[edge].to;
	size_t n = 0;
	if (!g->blocked[from] || !g->blocked[to])
		return 0;
	if (from != to) {
		search(g, to, from);
		if (g->distance[from] == UINT32_MAX)
			return 0;
		for (uint32_t node = from; node != to; node = g->edges.at[g->by[node]].from) {
			if (n == room)
				return 0;
			cycle[n++] = g->by[node];
		}
	}
	if (n == room)
		return 0;
	cycle[n++] = edge;
	return n;
}
