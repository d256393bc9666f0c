/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm": iterate
 * dom(n) = { n } + intersection of dom(p) over the predecessors p, on sets that are paths of a
 * tree, in reverse post-order until nothing changes.  The sets only shrink from "all", and the
 * greatest solution of the equations is dominance.  An intersection walks two paths up to their
 * first common node; a node above has a smaller number in the order, so the deeper walker moves.
 */
#include "ir/graph.h"

static void fill_edges(struct ir_edges *e, uint32_t nodes, const uint32_t *pairs, size_t edges,
		       bool is_reversed)
{
	vec_grow_zeroed(&e->at, (size_t)nodes + 1);
	vec_grow_zeroed(&e->to, edges);
	for (size_t i = 0; i < edges; i++)
		e->at.at[pairs[2 * i + is_reversed] + 1]++;
	for (uint32_t n = 0; n < nodes; n++)
		e->at.at[n + 1] += e->at.at[n];
	uint32_t *fill = mem_zero((size_t)nodes + 1, sizeof(*fill));
	for (size_t i = 0; i < edges; i++) {
		uint32_t from = pairs[2 * i + is_reversed], to = pairs[2 * i + !is_reversed];
		e->to.at[e->at.at[from] + fill[from]++] = to;
	}
	mem_free(fill);
}

void ir_graph_init(struct ir_graph *g, uint32_t nodes, const uint32_t *pairs, size_t edges)
{
	*g = (struct ir_graph){ .nodes = nodes };
	fill_edges(&g->next, nodes, pairs, edges, false);
	fill_edges(&g->previous, nodes, pairs, edges, true);
}

void ir_graph_of(struct ir_graph *g, const struct ir_func *f)
{
	VEC(uint32_t) pairs = { 0 }, to = { 0 };
	for (uint32_t b = 0; b < f->blocks.len; b++) {
		uint32_t count = ir_successors(f, b, to.at, (uint32_t)to.len);
		vec_grow_zeroed(&to, count);
		ir_successors(f, b, to.at, (uint32_t)to.len);
		for (uint32_t i = 0; i < count; i++) {
			vec_push(&pairs, b);
			vec_push(&pairs, to.at[i]);
		}
	}
	ir_graph_init(g, (uint32_t)f->blocks.len, pairs.at, pairs.len / 2);
	vec_release(&pairs);
	vec_release(&to);
}

void ir_graph_release(struct ir_graph *g)
{
	vec_release(&g->next.at);
	vec_release(&g->next.to);
	vec_release(&g->previous.at);
	vec_release(&g->previous.to);
}

/* Nodes that can be reached from `root`, each after all that it leads to, cycles apart. */
struct order {
	VEC(uint32_t) list;
	uint32_t *number; /* position in the list; IR_NONE if it cannot be reached */
};

static void order_init(struct order *o, const struct ir_edges *next, uint32_t nodes, uint32_t root)
{
	VEC(uint32_t) stack = { 0 };
	uint32_t *edge = mem_zero((size_t)nodes + 1, sizeof(*edge));
	bool *seen = mem_zero((size_t)nodes + 1, sizeof(*seen));
	*o = (struct order){ .number = mem_alloc(((size_t)nodes + 1) * sizeof(*o->number)) };
	for (uint32_t n = 0; n < nodes; n++)
		o->number[n] = IR_NONE;
	if (root < nodes) {
		vec_push(&stack, root);
		seen[root] = true;
	}
	while (stack.len) {
		uint32_t n = vec_last(&stack);
		uint32_t i = next->at.at[n] + edge[n]++;
		if (i == next->at.at[n + 1]) {
			o->number[n] = (uint32_t)o->list.len;
			vec_push(&o->list, n);
			stack.len--;
		} else if (!seen[next->to.at[i]]) {
			seen[next->to.at[i]] = true;
			vec_push(&stack, next->to.at[i]);
		}
	}
	vec_release(&stack);
	mem_free(edge);
	mem_free(seen);
}

static void order_release(struct order *o)
{
	vec_release(&o->list);
	mem_free(o->number);
}

static uint32_t intersect(const uint32_t *immediate, const uint32_t *number, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (number[a] < number[b])
			a = immediate[a];
		while (number[b] < number[a])
			b = immediate[b];
	}
	return a;
}

/* Dominators in the graph of `next` edges from `root`. */
static uint32_t *solve(const struct ir_edges *next, const struct ir_edges *previous, uint32_t nodes,
		       uint32_t root)
{
	struct order o;
	order_init(&o, next, nodes, root);
	uint32_t *immediate = mem_alloc(((size_t)nodes + 1) * sizeof(*immediate));
	for (uint32_t n = 0; n < nodes; n++)
		immediate[n] = IR_NONE;
	if (root < nodes)
		immediate[root] = root;
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (size_t k = o.list.len; k-- > 0;) {
			uint32_t n = o.list.at[k], best = IR_NONE;
			if (n == root)
				continue;
			for (uint32_t i = previous->at.at[n]; i < previous->at.at[n + 1]; i++) {
				uint32_t p = previous->to.at[i];
				if (o.number[p] == IR_NONE || immediate[p] == IR_NONE)
					continue;
				best = best == IR_NONE ? p
						       : intersect(immediate, o.number, p, best);
			}
			is_changed |= immediate[n] != best;
			immediate[n] = best;
		}
	}
	if (root < nodes)
		immediate[root] = IR_NONE;
	order_release(&o);
	return immediate;
}

uint32_t *ir_dominators(const struct ir_graph *g)
{
	return solve(&g->next, &g->previous, g->nodes, 0);
}

bool *ir_reachable(const struct ir_graph *g)
{
	struct order o;
	order_init(&o, &g->next, g->nodes, 0);
	bool *reachable = mem_zero((size_t)g->nodes + 1, sizeof(*reachable));
	for (size_t i = 0; i < o.list.len; i++)
		reachable[o.list.at[i]] = true;
	order_release(&o);
	return reachable;
}

/* Which nodes can reach a node without successor. */
static bool *can_end(const struct ir_graph *g)
{
	bool *ends = mem_zero((size_t)g->nodes + 1, sizeof(*ends));
	VEC(uint32_t) work = { 0 };
	for (uint32_t n = 0; n < g->nodes; n++)
		if (g->next.at.at[n] == g->next.at.at[n + 1]) {
			ends[n] = true;
			vec_push(&work, n);
		}
	while (work.len) {
		uint32_t n = work.at[--work.len];
		for (uint32_t i = g->previous.at.at[n]; i < g->previous.at.at[n + 1]; i++) {
			uint32_t p = g->previous.to.at[i];
			if (!ends[p]) {
				ends[p] = true;
				vec_push(&work, p);
			}
		}
	}
	vec_release(&work);
	return ends;
}

uint32_t *ir_post_dominators(const struct ir_graph *g)
{
	/* The end is one more node. */
	struct ir_graph with_end;
	VEC(uint32_t) pairs = { 0 };
	bool *ends = can_end(g);
	for (uint32_t n = 0; n < g->nodes; n++) {
		for (uint32_t i = g->next.at.at[n]; i < g->next.at.at[n + 1]; i++) {
			vec_push(&pairs, n);
			vec_push(&pairs, g->next.to.at[i]);
		}
		if (!ends[n] || g->next.at.at[n] == g->next.at.at[n + 1]) {
			vec_push(&pairs, n);
			vec_push(&pairs, g->nodes);
		}
	}
	ir_graph_init(&with_end, g->nodes + 1, pairs.at, pairs.len / 2);
	uint32_t *immediate = solve(&with_end.previous, &with_end.next, g->nodes + 1, g->nodes);
	for (uint32_t n = 0; n < g->nodes; n++)
		if (immediate[n] == g->nodes)
			immediate[n] = IR_NONE;
	ir_graph_release(&with_end);
	vec_release(&pairs);
	mem_free(ends);
	return immediate;
}

bool ir_dominates(const uint32_t *immediate, uint32_t a, uint32_t b)
{
	while (b != a && b != IR_NONE)
		b = immediate[b];
	return b == a;
}

/* Add to the loop what reaches `source` without passing the header. */
static void grow_loop(struct ir_loop *l, const struct ir_graph *g, const bool *reachable,
		      uint32_t source, bool *is_inside)
{
	VEC(uint32_t) work = { 0 };
	if (!is_inside[source]) {
		is_inside[source] = true;
		vec_push(&l->body, source);
		vec_push(&work, source);
	}
	while (work.len) {
		uint32_t n = work.at[--work.len];
		for (uint32_t i = g->previous.at.at[n]; i < g->previous.at.at[n + 1]; i++) {
			uint32_t p = g->previous.to.at[i];
			if (is_inside[p] || !reachable[p])
				continue;
			is_inside[p] = true;
			vec_push(&l->body, p);
			vec_push(&work, p);
		}
	}
	vec_release(&work);
}

/*
 * Headers in reverse post-order: a header dominates the headers of loops inside its own, so outer
 * loops come first, and the last loop that contains a node is the innermost.  (Two natural loops
 * with different headers are disjoint or one contains the other.)
 *
 * Other cycles: in a reducible graph every edge from a node to one that is not later in reverse
 * post-order goes to a dominator of its source, and such edges are those of the loops above.
 */
void ir_loops_init(struct ir_loops *l, const struct ir_graph *g, const uint32_t *dominators)
{
	struct order o;
	order_init(&o, &g->next, g->nodes, 0);
	bool *reachable = ir_reachable(g);
	bool *is_inside = mem_zero((size_t)g->nodes + 1, sizeof(*is_inside));
	*l = (struct ir_loops){ .is_reducible = true };
	l->of = mem_alloc(((size_t)g->nodes + 1) * sizeof(*l->of));
	for (uint32_t n = 0; n < g->nodes; n++)
		l->of[n] = IR_NONE;
	for (size_t k = o.list.len; k-- > 0;) {
		uint32_t header = o.list.at[k];
		struct ir_loop loop = { .header = header, .parent = l->of[header] };
		is_inside[header] = true;
		vec_push(&loop.body, header);
		bool is_loop = false;
		for (uint32_t i = g->previous.at.at[header]; i < g->previous.at.at[header + 1];
		     i++) {
			uint32_t p = g->previous.to.at[i];
			if (!reachable[p] || o.number[p] > o.number[header])
				continue;
			if (!ir_dominates(dominators, header, p)) {
				l->is_reducible = false;
				continue;
			}
			is_loop = true;
			grow_loop(&loop, g, reachable, p, is_inside);
		}
		for (size_t i = 0; i < loop.body.len; i++) {
			is_inside[loop.body.at[i]] = false;
			if (is_loop)
				l->of[loop.body.at[i]] = (uint32_t)l->list.len;
		}
		if (is_loop)
			vec_push(&l->list, loop);
		else
			vec_release(&loop.body);
	}
	mem_free(is_inside);
	mem_free(reachable);
	order_release(&o);
}

void ir_loops_release(struct ir_loops *l)
{
	for (size_t i = 0; i < l->list.len; i++)
		vec_release(&l->list.at[i].body);
	vec_release(&l->list);
	mem_free(l->of);
}

/*
 * Ferrante, Ottenstein and Warren, "The Program Dependence Graph and Its Use in Optimization",
 * section 3.1: for an edge from a to b, where b does not post-dominate a, the nodes from b up the
 * tree of post-dominators to below the parent of a depend on that edge.
 */
void ir_control_dependence(struct ir_dependences *d, const struct ir_graph *g,
			   const uint32_t *post_dominators)
{
	*d = (struct ir_dependences){ 0 };
	for (uint32_t a = 0; a < g->nodes; a++) {
		uint32_t first = g->next.at.at[a];
		for (uint32_t i = first; i < g->next.at.at[a + 1]; i++)
			for (uint32_t n = g->next.to.at[i]; n != IR_NONE && n != post_dominators[a];
			     n = post_dominators[n])
				vec_push(&d->list, ((struct ir_dependence){ n, a, i - first }));
	}
}
