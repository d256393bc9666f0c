/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directed graph that is either sorted topologically, or in which short cycles are found.
 * Private to src/oracle.
 */
#ifndef HEDDLE_ORACLE_ACYCLIC_H
#define HEDDLE_ORACLE_ACYCLIC_H

#include "base/vec.h"
#include "oracle/history.h"

struct acyclic_edge {
	uint32_t from, to; /* nodes */
	uint32_t next;	   /* of the same from, plus one; 0: none */
	int label;	   /* chosen by the caller; 0: the edge costs nothing in a cycle */
};

/* Nodes are numbers; of several possible nodes the smallest is sorted first.  The zero state has
 * no nodes. */
struct acyclic {
	uint32_t nodes;
	VEC(struct acyclic_edge) edges;
	uint32_t *first; /* by node: its first edge plus one */
	uint64_t work;	 /* nodes visited in searches for cycles */
	/* Private. */
	/* by node: number of edges to it from nodes that are not sorted yet */
	uint32_t *blocked;
	uint32_t *distance, *by;
	VEC(uint32_t) queue, more;
};

void acyclic_init(struct acyclic *g, uint32_t nodes);
void acyclic_clear(struct acyclic *g); /* of edges */
void acyclic_release(struct acyclic *g);
void acyclic_add(struct acyclic *g, uint32_t from, uint32_t to, int label);
/* All nodes in a possible order, appended to out; false if there is a cycle. */
bool acyclic_sort(struct acyclic *g, uint32_t *out);
/*
 * After a failed sort: a cycle through this edge with as few labels as possible.  Its edges are
 * written to `cycle`, at most `room` of them.  Returns their number; 0 if there is no such cycle.
 */
size_t acyclic_cycle(struct acyclic *g, uint32_t edge, uint32_t *cycle, size_t room);

#endif
