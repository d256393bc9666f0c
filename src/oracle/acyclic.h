/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a set of orders free of cycles?  If so a sequence; if not, some short cycles.  Private to src/oracle.
 */
#ifndef HEDDLE_ORACLE_ACYCLIC_H
#define HEDDLE_ORACLE_ACYCLIC_H

#include "base/vec.h"
#include "oracle/history.h"

struct acyclic_edge {
	uint32_t from, to;	/* nodes */
	uint32_t next;		/* of the same from, plus one; 0: none */
	int label;		/* whatever the caller wants to know of a cycle; 0 is for free */
};

/* Nodes are numbers; a smaller one comes first where there is a choice.  The zero state has none. */
struct acyclic {
	uint32_t nodes;
	VEC(struct acyclic_edge) edges;
	uint32_t *first;	/* by node: its first edge plus one */
	uint64_t work;		/* nodes that were looked at in the search for cycles */
	/* Private. */
	uint32_t *blocked;	/* how many edges lead to a node from ones that are not placed yet */
	uint32_t *distance, *by;
	VEC(uint32_t) queue, more;
};

void acyclic_init(struct acyclic *g, uint32_t nodes);
void acyclic_clear(struct acyclic *g);		/* of edges */
void acyclic_release(struct acyclic *g);
void acyclic_add(struct acyclic *g, uint32_t from, uint32_t to, int label);
/* All nodes in a possible order, appended to out; false if there is a cycle. */
bool acyclic_sort(struct acyclic *g, uint32_t *out);
/*
 * After a failed sort: a cycle through this edge with as few labels as possible.  Its edges go to `cycle`, at
 * most `room` of them; the answer is how many it has, 0 if there is none.
 */
size_t acyclic_cycle(struct acyclic *g, uint32_t edge, uint32_t *cycle, size_t room);

#endif
