/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators, post-dominators, loops and control dependence of random graphs, against their
 * definitions by paths. */
#include "ir/graph.h"
#include "unit/unit.h"

#define NODES 12
#define GRAPHS 3000

static uint32_t random_below(uint32_t n)
{
	static uint64_t state = 1;
	return (uint32_t)(test_random(&state) % n);
}

/* Which nodes a path from `from` reaches that does not pass `without`. */
static void reach(const struct ir_edges *e, uint32_t from, uint32_t without, bool *seen)
{
	if (from == without || seen[from])
		return;
	seen[from] = true;
	for (uint32_t i = e->at.at[from]; i < e->at.at[from + 1]; i++)
		reach(e, e->to.at[i], without, seen);
}

static bool is_reached(const struct ir_edges *e, uint32_t from, uint32_t to, uint32_t without)
{
	bool seen[NODES + 1] = { 0 };
	reach(e, from, without, seen);
	return seen[to];
}

static void random_graph(struct ir_graph *g)
{
	uint32_t pairs[2 * 3 * NODES], nodes = 1 + random_below(NODES);
	size_t edges = 0, count = random_below(3 * nodes);
	for (; edges < count; edges++) {
		pairs[2 * edges] = random_below(nodes);
		pairs[2 * edges + 1] = random_below(nodes);
	}
	ir_graph_init(g, nodes, pairs, edges);
}

static void dominators_are_on_every_path(void **unused)
{
	(void)unused;
	for (int round = 0; round < GRAPHS; round++) {
		struct ir_graph g;
		random_graph(&g);
		uint32_t *immediate = ir_dominators(&g);
		bool *reachable = ir_reachable(&g);
		for (uint32_t b = 0; b < g.nodes; b++) {
			assert_int_equal(reachable[b], is_reached(&g.next, 0, b, IR_NONE));
			for (uint32_t a = 0; a < g.nodes && reachable[b]; a++)
				assert_int_equal(ir_dominates(immediate, a, b),
						 a == b || !is_reached(&g.next, 0, b, a));
			if (!reachable[b])
				assert_int_equal(immediate[b], IR_NONE);
		}
		mem_free(immediate);
		mem_free(reachable);
		ir_graph_release(&g);
	}
}

/* Whether execution may end at the node. */
static bool may_end(const struct ir_graph *g, uint32_t n)
{
	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->next.at.at[i] == g->next.at.at[i + 1] && is_reached(&g->next, n, i, IR_NONE))
			return i == n;
	return true;
}

/* Whether a path from b to an end passes no a. */
static bool ends_without(const struct ir_graph *g, uint32_t b, uint32_t a)
{
	for (uint32_t i = 0; i < g->nodes; i++)
		if (may_end(g, i) && is_reached(&g->next, b, i, a))
			return true;
	return false;
}

static bool post_dominates(const struct ir_graph *g, uint32_t a, uint32_t b)
{
	return a == b || !ends_without(g, b, a);
}

static void post_dominators_are_on_every_path_to_an_end(void **unused)
{
	(void)unused;
	for (int round = 0; round < GRAPHS; round++) {
		struct ir_graph g;
		random_graph(&g);
		uint32_t *immediate = ir_post_dominators(&g);
		for (uint32_t b = 0; b < g.nodes; b++)
			for (uint32_t a = 0; a < g.nodes; a++)
				assert_int_equal(ir_dominates(immediate, a, b),
						 post_dominates(&g, a, b));
		mem_free(immediate);
		ir_graph_release(&g);
	}
}

/* Ferrante, Ottenstein and Warren's definition: the node post-dominates a successor of the branch
 * and not, strictly, the branch. */
static void dependence_is_that_of_the_definition(void **unused)
{
	(void)unused;
	for (int round = 0; round < GRAPHS; round++) {
		struct ir_graph g;
		struct ir_dependences d;
		random_graph(&g);
		uint32_t *immediate = ir_post_dominators(&g);
		ir_control_dependence(&d, &g, immediate);
		size_t expected = 0;
		for (uint32_t a = 0; a < g.nodes; a++)
			for (uint32_t e = g.next.at.at[a]; e < g.next.at.at[a + 1]; e++)
				for (uint32_t n = 0; n < g.nodes; n++) {
					bool depends = post_dominates(&g, n, g.next.to.at[e]) &&
						       (n == a || !post_dominates(&g, n, a));
					bool is_listed = false;
					for (size_t i = 0; i < d.list.len; i++)
						is_listed |=
							d.list.at[i].node == n &&
							d.list.at[i].branch == a &&
							d.list.at[i].number == e - g.next.at.at[a];
					assert_int_equal(is_listed, depends);
					expected += depends;
				}
		assert_int_equal(d.list.len, expected);
		vec_release(&d.list);
		mem_free(immediate);
		ir_graph_release(&g);
	}
}

/* The body of the natural loop of a header, by its definition; false if the header has none. */
static bool natural_loop(const struct ir_graph *g, uint32_t header, bool *body)
{
	bool is_loop = false;
	for (uint32_t i = g->previous.at.at[header]; i < g->previous.at.at[header + 1]; i++) {
		uint32_t p = g->previous.to.at[i];
		if (!is_reached(&g->next, 0, p, IR_NONE) ||
		    (p != header && is_reached(&g->next, 0, p, header)))
			continue;
		is_loop = true;
		for (uint32_t n = 0; n < g->nodes; n++)
			body[n] |= n == p || (n != header && is_reached(&g->next, n, p, header) &&
					      is_reached(&g->next, 0, n, IR_NONE));
	}
	body[header] = is_loop;
	return is_loop;
}

/* Reducible: without the edges to dominators, what can be reached has no cycle. */
static bool is_reducible(const struct ir_graph *g)
{
	VEC(uint32_t) pairs = { 0 };
	struct ir_graph forward;
	bool is_acyclic = true;
	for (uint32_t n = 0; n < g->nodes; n++)
		for (uint32_t i = g->next.at.at[n]; i < g->next.at.at[n + 1]; i++) {
			uint32_t to = g->next.to.at[i];
			if (to == n || !is_reached(&g->next, 0, n, to))
				continue;
			vec_push(&pairs, n);
			vec_push(&pairs, to);
		}
	ir_graph_init(&forward, g->nodes, pairs.at, pairs.len / 2);
	for (uint32_t n = 0; n < g->nodes; n++)
		for (uint32_t i = forward.next.at.at[n]; i < forward.next.at.at[n + 1]; i++)
			is_acyclic &= !is_reached(&g->next, 0, n, IR_NONE) ||
				      !is_reached(&forward.next, forward.next.to.at[i], n, IR_NONE);
	ir_graph_release(&forward);
	vec_release(&pairs);
	return is_acyclic;
}

static void loops_are_natural_loops(void **unused)
{
	(void)unused;
	for (int round = 0; round < GRAPHS; round++) {
		struct ir_graph g;
		struct ir_loops l;
		random_graph(&g);
		uint32_t *dominators = ir_dominators(&g), smallest[NODES], size[NODES];
		size_t loops = 0;
		for (uint32_t n = 0; n < g.nodes; n++)
			smallest[n] = IR_NONE;
		ir_loops_init(&l, &g, dominators);
		for (uint32_t header = 0; header < g.nodes; header++) {
			bool body[NODES] = { 0 };
			if (!natural_loop(&g, header, body))
				continue;
			const struct ir_loop *own = NULL;
			for (size_t i = 0; i < l.list.len; i++)
				if (l.list.at[i].header == header)
					own = &l.list.at[i];
			assert_non_null(own);
			uint32_t count = 0;
			for (uint32_t n = 0; n < g.nodes; n++)
				count += body[n];
			assert_int_equal(own->body.len, count);
			for (size_t i = 0; i < own->body.len; i++)
				assert_true(body[own->body.at[i]]);
			size[header] = count;
			for (uint32_t n = 0; n < g.nodes; n++)
				if (body[n] &&
				    (smallest[n] == IR_NONE || count < size[smallest[n]]))
					smallest[n] = header;
			loops++;
		}
		assert_int_equal(l.list.len, loops);
		for (uint32_t n = 0; n < g.nodes; n++)
			assert_int_equal(l.of[n] == IR_NONE ? IR_NONE : l.list.at[l.of[n]].header,
					 smallest[n]);
		assert_int_equal(l.is_reducible, is_reducible(&g));
		ir_loops_release(&l);
		mem_free(dominators);
		ir_graph_release(&g);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(dominators_are_on_every_path),
	    cmocka_unit_test(post_dominators_are_on_every_path_to_an_end),
	    cmocka_unit_test(dependence_is_that_of_the_definition),
	    cmocka_unit_test(loops_are_natural_loops));
}
