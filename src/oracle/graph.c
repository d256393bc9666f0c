/* SPDX-License-Identifier: Apache-2.0 */
/* The order graph: see graph.h. */
#include "oracle/graph.h"

#include "wire/fault.h"

void graph_init(struct order_graph *g, uint32_t threads, const uint32_t *length)
{
	*g = (struct order_graph){ .threads = threads };
	g->length = mem_alloc((threads + 1ull) * sizeof(*g->length));
	g->last = mem_alloc((threads + 1ull) * sizeof(*g->last));
	g->first = mem_alloc((threads + 1ull) * sizeof(*g->first));
	memcpy(g->length, length, threads * sizeof(*length));
	g->after = mem_zero((size_t)threads * threads + 1, sizeof(*g->after));
	g->before = mem_zero((size_t)threads * threads + 1, sizeof(*g->before));
}

void graph_release(struct order_graph *g)
{
	for (size_t i = 0; g->after && i < (size_t)g->threads * g->threads; i++) {
		mem_free(g->after[i]);
		mem_free(g->before[i]);
	}
	mem_free(g->after);
	mem_free(g->before);
	mem_free(g->length);
	mem_free(g->last);
	mem_free(g->first);
	*g = (struct order_graph){ 0 };
}

/*
 * Trees have entries 1 to n.  Minima are over suffixes, so position p is entry n - p; maxima over
 * prefixes, entry p + 1.
 */

static uint32_t minimum(const uint32_t *tree, uint32_t n, uint32_t p)
{
	uint32_t least = GRAPH_NOWHERE;
	for (uint32_t i = n - p; i; i -= i & -i)
		if (tree[i] < least)
			least = tree[i];
	return least;
}

static uint32_t maximum(const uint32_t *tree, uint32_t p)
{
	uint32_t most = 0;
	for (uint32_t i = p + 1; i; i -= i & -i)
		if (tree[i] > most)
			most = tree[i];
	return most;
}

uint32_t graph_after(const struct order_graph *g, uint32_t i, uint32_t p, uint32_t j)
{
	const uint32_t *tree = g->after[(size_t)i * g->threads + j];
	if (i == j)
		return p;
	return tree ? minimum(tree, g->length[i], p) : GRAPH_NOWHERE;
}

uint32_t graph_before(const struct order_graph *g, uint32_t j, uint32_t q, uint32_t i)
{
	const uint32_t *tree = g->before[(size_t)j * g->threads + i];
	if (i == j)
		return q + 1;
	return tree ? maximum(tree, q) : 0;
}

static void improve(struct order_graph *g, uint32_t i, uint32_t p, uint32_t j, uint32_t q)
{
	uint32_t **after = &g->after[(size_t)i * g->threads + j],
		 **before = &g->before[(size_t)j * g->threads + i];
	uint32_t n = g->length[i], m = g->length[j];
	if (!*after) {
		*after = mem_alloc((n + 1ull) * sizeof(**after));
		memset(*after, 0xff, (n + 1ull) * sizeof(**after));
		*before = mem_zero(m + 1ull, sizeof(**before));
	}
	for (uint32_t k = n - p; k <= n; k += k & -k)
		if (q < (*after)[k])
			(*after)[k] = q;
	for (uint32_t k = q + 1; k <= m; k += k & -k)
		if (p + 1 > (*before)[k])
			(*before)[k] = p + 1;
}

bool graph_insert(struct order_graph *g, uint32_t i, uint32_t p, uint32_t j, uint32_t q)
{
	if (i == j)
		return p < q;
	if (graph_after(g, j, q, i) <= p) {
		if (FAULT(GRAPH_ACCEPTS_CYCLES))
			return true;
		return false;
	}
	if (graph_after(g, i, p, j) <= q)
		return true;
	g->edges++;
	/* Only threads that the edge connects, which are few in most traces of many threads. */
	uint32_t befores = 0, afters = 0;
	for (uint32_t t = 0; t < g->threads; t++) {
		uint32_t before = graph_before(g, i, p, t), after = graph_after(g, j, q, t);
		if (before)
			g->last[befores++] = (struct graph_point){ t, before - 1 };
		if (after != GRAPH_NOWHERE)
			g->first[afters++] = (struct graph_point){ t, after };
	}
	for (uint32_t s = 0; s < befores; s++)
		for (uint32_t t = 0; t < afters; t++) {
			struct graph_point a = g->last[s], b = g->first[t];
			if (FAULT(GRAPH_NOT_TRANSITIVE) && (a.thread != i || b.thread != j))
				continue;
			if (a.thread != b.thread &&
			    graph_after(g, a.thread, a.own, b.thread) > b.own)
				improve(g, a.thread, a.own, b.thread, b.own);
		}
	return true;
}
