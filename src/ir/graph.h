/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directed graphs with an entry, node 0, and what is known of them as control flow: dominators,
 * post-dominators, loops, control dependence.  Results are arrays with one element for each node;
 * the caller frees them with mem_free.
 */
#ifndef HEDDLE_IR_GRAPH_H
#define HEDDLE_IR_GRAPH_H

#include "ir/ir.h"

struct ir_edges {
	VEC(uint32_t) at; /* edges of node n: to[at[n]] up to to[at[n + 1]] */
	VEC(uint32_t) to;
};

struct ir_graph {
	uint32_t nodes;
	struct ir_edges next, previous;
};

/* From a list of edges: pairs of nodes, in an order that is kept for each node. */
void ir_graph_init(struct ir_graph *g, uint32_t nodes, const uint32_t *pairs, size_t edges);
/* The blocks of a function. */
void ir_graph_of(struct ir_graph *g, const struct ir_func *f);
void ir_graph_release(struct ir_graph *g);

/*
 * Immediate dominators; IR_NONE for the entry and for nodes that cannot be reached from it.
 */
uint32_t *ir_dominators(const struct ir_graph *g);
/*
 * Immediate post-dominators.  Nodes without successor end the execution, and so may every node
 * from which no such node can be reached: in an endless loop it is not known where execution
 * stops.  IR_NONE: no node, only the end itself.
 */
uint32_t *ir_post_dominators(const struct ir_graph *g);
/* Whether `a` is `b` or above it in a tree of immediate (post-)dominators. */
bool ir_dominates(const uint32_t *immediate, uint32_t a, uint32_t b);
/* Which nodes can be reached from the entry. */
bool *ir_reachable(const struct ir_graph *g);

/* A loop: the nodes that can reach the source of an edge back to the header without passing the
 * header, which dominates that source. */
struct ir_loop {
	uint32_t header;
	uint32_t parent; /* innermost loop around this one; IR_NONE */
	VEC(uint32_t) body;
};

struct ir_loops {
	VEC(struct ir_loop) list; /* inner loops after the loops around them */
	uint32_t *of;		  /* innermost loop of each node; IR_NONE */
	bool is_reducible;	  /* no other cycles than these loops */
};

void ir_loops_init(struct ir_loops *l, const struct ir_graph *g, const uint32_t *dominators);
void ir_loops_release(struct ir_loops *l);

/* The node depends on which successor `branch` chooses: it is executed after the choice of edge
 * `number` and need not be after another. */
struct ir_dependence {
	uint32_t node, branch, number;
};

struct ir_dependences {
	VEC(struct ir_dependence) list; /* by branch, edge, then up the tree of post-dominators */
};

void ir_control_dependence(struct ir_dependences *d, const struct ir_graph *g,
			   const uint32_t *post_dominators);

#endif
