/* SPDX-License-Identifier: Apache-2.0 */
/* The order graph: see graph.h. */
#include "oracle/graph.h"

#include "base/stop.h"
#include "wire/fault.h"

#define TREE_OVERHEAD 16      /* bytes of the allocator */
#define STOP_STEPS (1u << 20) /* steps between two checks for a stop request: some milliseconds */

void graph_init(struct order_graph *g, uint32_t threads, const uint32_t *length)
{
	*g = (struct order_graph){ .threads = threads };
	g->length = mem_alloc((threads + 1ull) * sizeof(*g->length));
	g->last = mem_alloc((threads + 1ull) * sizeof(*g->last));
	g->first = mem_alloc((threads + 1ull) * sizeof(*g->first));
	memcpy(g->length, length, threads * sizeof(*length));
	g->after = mem_zero(threads + 1ull, sizeof(*g->after));
	g->before = mem_zero(threads + 1ull, sizeof(*g->before));
}

static uint32_t pages(const struct order_graph *g)
{
	return g->threads / GRAPH_PAGE + 1;
}

static void release_table(const struct order_graph *g, struct graph_page ***table)
{
	for (uint32_t i = 0; table && i < g->threads; i++) {
		for (uint32_t p = 0; table[i] && p < pages(g); p++) {
			for (uint32_t k = 0; table[i][p] && k < GRAPH_PAGE; k++)
				mem_free(table[i][p]->trees[k]);
			mem_free(table[i][p]);
		}
		mem_free(table[i]);
	}
	mem_free(table);
}

void graph_release(struct order_graph *g)
{
	release_table(g, g->after);
	release_table(g, g->before);
	mem_free(g->length);
	mem_free(g->last);
	mem_free(g->first);
	*g = (struct order_graph){ 0 };
}

static const uint32_t *tree_of(struct graph_page *const *row, uint32_t thread)
{
	const struct graph_page *page = row ? row[thread / GRAPH_PAGE] : NULL;
	return page ? page->trees[thread % GRAPH_PAGE] : NULL;
}

/* The place of a tree, with its row and page. */
static uint32_t **make_place(struct order_graph *g, struct graph_page ***table, uint32_t i,
			     uint32_t j)
{
	if (!table[i]) {
		table[i] = mem_zero(pages(g), sizeof(*table[i]));
		g->bytes += pages(g) * sizeof(*table[i]);
	}
	struct graph_page **page = &table[i][j / GRAPH_PAGE];
	if (!*page) {
		*page = mem_zero(1, sizeof(**page));
		g->bytes += sizeof(**page);
	}
	return &(*page)->trees[j % GRAPH_PAGE];
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
	if (i == j)
		return p;
	const uint32_t *tree = tree_of(g->after[i], j);
	return tree ? minimum(tree, g->length[i], p) : GRAPH_NOWHERE;
}

uint32_t graph_before(const struct order_graph *g, uint32_t j, uint32_t q, uint32_t i)
{
	if (i == j)
		return q + 1;
	const uint32_t *tree = tree_of(g->before[j], i);
	return tree ? maximum(tree, q) : 0;
}

static void improve(struct order_graph *g, uint32_t i, uint32_t p, uint32_t j, uint32_t q)
{
	uint32_t **after = make_place(g, g->after, i, j), **before = make_place(g, g->before, j, i);
	uint32_t n = g->length[i], m = g->length[j];
	if (!*after) {
		*after = mem_alloc((n + 1ull) * sizeof(**after));
		memset(*after, 0xff, (n + 1ull) * sizeof(**after));
		*before = mem_zero(m + 1ull, sizeof(**before));
		g->bytes += (n + m + 2ull) * sizeof(**after) + 2 * TREE_OVERHEAD;
	}
	for (uint32_t k = n - p; k <= n; k += k & -k)
		if (q < (*after)[k])
			(*after)[k] = q;
	for (uint32_t k = q + 1; k <= m; k += k & -k)
		if (p + 1 > (*before)[k])
			(*before)[k] = p + 1;
}

bool graph_work(struct order_graph *g, uint64_t steps)
{
	bool is_due = g->steps / STOP_STEPS != (g->steps + steps) / STOP_STEPS;
	g->steps += steps;
	g->is_cut_off |= g->bytes > GRAPH_BYTES_MAX || (is_due && stop_is_requested());
	return !g->is_cut_off;
}

/* Whether the page of thread t in a row of thread i is empty, and that of i is another one. */
static bool is_skipped(struct graph_page *const *row, uint32_t i, uint32_t t)
{
	return t % GRAPH_PAGE == 0 && i / GRAPH_PAGE != t / GRAPH_PAGE &&
	       (!row || !row[t / GRAPH_PAGE]);
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
		if (is_skipped(g->before[i], i, t)) {
			t |= GRAPH_PAGE - 1;
			continue;
		}
		uint32_t before = graph_before(g, i, p, t);
		if (before)
			g->last[befores++] = (struct graph_point){ t, before - 1 };
	}
	for (uint32_t t = 0; t < g->threads; t++) {
		if (is_skipped(g->after[j], j, t)) {
			t |= GRAPH_PAGE - 1;
			continue;
		}
		uint32_t after = graph_after(g, j, q, t);
		if (after != GRAPH_NOWHERE)
			g->first[afters++] = (struct graph_point){ t, after };
	}
	for (uint32_t s = 0; s < befores; s++) {
		if (!graph_work(g, afters))
			return false;
		for (uint32_t t = 0; t < afters; t++) {
			struct graph_point a = g->last[s], b = g->first[t];
			if (FAULT(GRAPH_NOT_TRANSITIVE) && (a.thread != i || b.thread != j))
				continue;
			if (a.thread != b.thread &&
			    graph_after(g, a.thread, a.own, b.thread) > b.own)
				improve(g, a.thread, a.own, b.thread, b.own);
		}
	}
	return true;
}
