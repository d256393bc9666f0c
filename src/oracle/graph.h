/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partial order over the operations of a set, kept transitively closed.  Operations of one
 * thread are a chain.  For each ordered pair of threads, two Fenwick trees give in logarithmic
 * time the first operation of one thread that follows a given one of the other, and the last that
 * precedes it.  Private to src/oracle.
 *
 * Invariant: if u of thread i precedes some operation of thread j, then the tree of (i, j) holds,
 * at the position of u or a later one, the first operation of j that u precedes.  Entries only
 * improve, which Fenwick trees of minima and maxima support.  An insertion takes an update
 * for each pair of a thread that precedes it and a thread that follows it.
 *
 * Of many threads most pairs are not ordered, so the table of pairs has a row for each thread, and
 * a row has pages, which are made when they are used.
 */
#ifndef HEDDLE_ORACLE_GRAPH_H
#define HEDDLE_ORACLE_GRAPH_H

#include "oracle/history.h"

#define GRAPH_NOWHERE UINT32_MAX

/* An operation: number `own` of its thread. */
struct graph_point {
	uint32_t thread, own;
};

#define GRAPH_PAGE 64
#define GRAPH_BYTES_MAX (1ull << 30)

/* Trees of one thread and so many others; NULL: empty. */
struct graph_page {
	uint32_t *trees[GRAPH_PAGE];
};

struct order_graph {
	uint32_t threads;
	uint32_t *length; /* by thread */
	/* [i], page and place of j: over positions of i, first positions of j; NULL: all are empty
	 */
	struct graph_page ***after;
	/* [j], page and place of i: over positions of j, last positions of i, plus one */
	struct graph_page ***before;
	/* scratch space of an insertion: what precedes and what follows, one of each thread */
	struct graph_point *last, *first;
	uint64_t edges; /* grows exactly if the order does */
	uint64_t steps; /* pairs of threads that were looked at */
	uint64_t bytes; /* of trees and pages */
	/* a stop was requested, or GRAPH_BYTES_MAX was not enough: the order is not closed */
	bool is_cut_off;
};

void graph_init(struct order_graph *g, uint32_t threads, const uint32_t *length);
void graph_release(struct order_graph *g);
/* The first operation of thread j that comes after operation p of thread i; p itself if i == j. */
uint32_t graph_after(const struct order_graph *g, uint32_t i, uint32_t p, uint32_t j);
/* The number of operations of thread i that come before operation q of thread j; q + 1 if i == j.
 */
uint32_t graph_before(const struct order_graph *g, uint32_t j, uint32_t q, uint32_t i);
/*
 * Count steps; false if the graph is cut off, in which a stop request results, sooner or later.
 */
bool graph_work(struct order_graph *g, uint64_t steps);
/* Order p of thread i before q of thread j.  False if that closes a cycle, or if it is cut off. */
bool graph_insert(struct order_graph *g, uint32_t i, uint32_t p, uint32_t j, uint32_t q);

#endif
