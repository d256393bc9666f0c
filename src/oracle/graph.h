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
 */
#ifndef HEDDLE_ORACLE_GRAPH_H
#define HEDDLE_ORACLE_GRAPH_H

#include "oracle/history.h"

#define GRAPH_NOWHERE UINT32_MAX

/* An operation: number `own` of its thread. */
struct graph_point {
	uint32_t thread, own;
};

struct order_graph {
	uint32_t threads;
	uint32_t *length; /* by thread */
	/* [i * threads + j]: over positions of i, first positions of j; NULL: empty */
	uint32_t **after;
	/* [j * threads + i]: over positions of j, last positions of i, plus one */
	uint32_t **before;
	/* scratch space of an insertion: what precedes and what follows, one of each thread */
	struct graph_point *last, *first;
	uint64_t edges; /* grows exactly if the order does */
};

void graph_init(struct order_graph *g, uint32_t threads, const uint32_t *length);
void graph_release(struct order_graph *g);
/* The first operation of thread j that comes after operation p of thread i; p itself if i == j. */
uint32_t graph_after(const struct order_graph *g, uint32_t i, uint32_t p, uint32_t j);
/* The number of operations of thread i that come before operation q of thread j; q + 1 if i == j.
 */
uint32_t graph_before(const struct order_graph *g, uint32_t j, uint32_t q, uint32_t i);
/* Order p of thread i before q of thread j.  False if that closes a cycle. */
bool graph_insert(struct order_graph *g, uint32_t i, uint32_t p, uint32_t j, uint32_t q);

#endif
