/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver engine: the formula of encoding.c on PicoSAT, with lazy acyclicity.  A model directs
 * every order variable; together with program order and fixed orders this gives a graph.  If the
 * graph is acyclic, its topological order is the witness.  Otherwise each cycle found becomes a
 * clause that no execution violates, and the solver continues.  There are finitely many cycles,
 * so this terminates.  If the formula becomes unsatisfiable, there is no execution, whatever the
 * number of threads.
 *
 * The default phase of each variable is the direction of the trace, so the first model is mostly
 * the trace itself, changed where the question requires it.
 */
#include <picosat/picosat.h>

#include "base/err.h"
#include "base/stop.h"
#include "oracle/acyclic.h"
#include "oracle/encoding.h"
#include "wire/fault.h"
#include "oracle/oracle.h"

#define OPERATIONS_DEFAULT 200000
#define CLAUSES_DEFAULT 4000000
#define ROUNDS_DEFAULT 2000
#define PROPAGATIONS_DEFAULT 200000000
#define CYCLES_EACH_ROUND 200
#define CYCLE_LENGTH 4096

struct solver {
	struct encoding e;
	PicoSAT *sat;
	size_t given; /* literals of clauses passed to the SAT solver so far */
	struct acyclic graph;
	VEC(op_id) ops;	   /* by node: operations that may happen, in the order of the trace */
	uint32_t *node_of; /* by operation */
	VEC(struct op_order) crossing; /* fixed orders between threads */
	VEC(struct op_order) edge_ops; /* by edge of the graph: the operations that it orders */
	uint32_t *sequence, *cycle;
};

/* ---- set up ---- */

static void add_crossing(struct solver *s, const struct op_order *o)
{
	if (encoding_happens(&s->e, o->before) != LITERAL_FALSE &&
	    encoding_happens(&s->e, o->after) != LITERAL_FALSE)
		vec_push(&s->crossing, *o);
}

static void make_nodes(struct solver *s)
{
	const struct history *h = s->e.h;
	s->node_of = mem_alloc((h->ops.len + 1) * sizeof(*s->node_of));
	for (op_id id = 0; id < h->ops.len; id++)
		if (encoding_happens(&s->e, id) != LITERAL_FALSE) {
			s->node_of[id] = (uint32_t)s->ops.len;
			vec_push(&s->ops, id);
		}
	for (size_t i = 0; i < s->e.q->adjacent.len; i++) {
		if (FAULT(SOLVER_SPLITS_ADJACENT))
			break;
		const struct op_order *p = &s->e.q->adjacent.at[i];
		s->node_of[p->after] = s->node_of[p->before];
	}
	for (size_t i = 0; i < h->causes.len; i++)
		add_crossing(s, &h->causes.at[i]);
	for (size_t i = 0; i < h->orders.len; i++) {
		if (FAULT(SOLVER_IGNORES_ORDERS))
			break;
		add_crossing(s, &h->orders.at[i]);
	}
	for (size_t i = 0; i < s->e.q->orders.len; i++)
		add_crossing(s, &s->e.q->orders.at[i]);
	acyclic_init(&s->graph, (uint32_t)s->ops.len);
	s->sequence = mem_alloc((s->ops.len + 1) * sizeof(*s->sequence));
	s->cycle = mem_alloc(CYCLE_LENGTH * sizeof(*s->cycle));
}

static void give_clauses(struct solver *s)
{
	for (; s->given < s->e.clauses.len; s->given++)
		picosat_add(s->sat, s->e.clauses.at[s->given]);
}

static int is_interrupted(void *none)
{
	(void)none;
	return stop_is_requested();
}

static void start(struct solver *s)
{
	s->sat = picosat_init();
	picosat_set_interrupt(s->sat, NULL, is_interrupted);
	picosat_adjust(s->sat, (int)s->e.variables.len - 1);
	picosat_set_global_default_phase(s->sat, 0);
	for (size_t v = 1; v < s->e.variables.len; v++)
		if (s->e.variables.at[v].before != s->e.variables.at[v].after)
			picosat_set_default_phase_lit(s->sat, (int)v, 1);
	give_clauses(s);
}

/* ---- one model ---- */

static bool happens(const struct solver *s, op_id op)
{
	int literal = encoding_happens(&s->e, op);
	return literal == LITERAL_TRUE ||
	       (literal != LITERAL_FALSE && picosat_deref(s->sat, literal) > 0);
}

static void add_edge(struct solver *s, op_id before, op_id after, int literal)
{
	if (s->node_of[before] == s->node_of[after])
		return;
	acyclic_add(&s->graph, s->node_of[before], s->node_of[after], literal);
	vec_push(&s->edge_ops, ((struct op_order){ before, after }));
}

static void make_graph(struct solver *s)
{
	const struct history *h = s->e.h;
	acyclic_clear(&s->graph);
	s->edge_ops.len = 0;
	for (size_t i = 0; i < s->ops.len; i++) {
		const struct op *o = &h->ops.at[s->ops.at[i]];
		if (o->own && happens(s, s->ops.at[i]))
			add_edge(s, history_op(h, o->thread, o->own - 1), s->ops.at[i], 0);
	}
	for (size_t i = 0; i < s->crossing.len; i++) {
		const struct op_order *o = &s->crossing.at[i];
		if (happens(s, o->before) && happens(s, o->after))
			add_edge(s, o->before, o->after, 0);
	}
	for (size_t v = 1; v < s->e.variables.len; v++) {
		struct order_variable x = s->e.variables.at[v];
		if (x.before == x.after || !happens(s, x.before) || !happens(s, x.after))
			continue;
		if (picosat_deref(s->sat, (int)v) > 0)
			add_edge(s, x.before, x.after, (int)v);
		else
			add_edge(s, x.after, x.before, -(int)v);
	}
}

/* Add a clause: not all edges of this cycle hold. */
static void exclude(struct solver *s, const uint32_t *cycle, size_t count)
{
	encoding_begin(&s->e);
	for (size_t i = 0; i < count; i++) {
		const struct op_order *o = &s->edge_ops.at[cycle[i]];
		int label = s->graph.edges.at[cycle[i]].label;
		if (label)
			encoding_add(&s->e, -label);
		encoding_add(&s->e, -encoding_happens(&s->e, o->before));
		encoding_add(&s->e, -encoding_happens(&s->e, o->after));
	}
	encoding_end(&s->e);
}

static bool exclude_cycles(struct solver *s)
{
	uint32_t found = 0, rounds = 0;
	for (size_t i = s->graph.edges.len; i-- > 0 && found < CYCLES_EACH_ROUND;) {
		if (stop_is_requested_sampled(&rounds))
			break;
		size_t n = acyclic_cycle(&s->graph, (uint32_t)i, s->cycle, CYCLE_LENGTH);
		if (n)
			exclude(s, s->cycle, n);
		found += n != 0;
	}
	return found;
}

static void take_witness(struct solver *s, struct answer *a)
{
	const struct question *q = s->e.q;
	a->witness.len = 0;
	for (size_t i = 0; i < s->ops.len; i++) {
		op_id op = s->ops.at[s->sequence[i]], partner = OP_NONE;
		/*
		 * The second operation of an adjacent pair shares the first one's node; its own
		 * node is unused.
		 */
		if (!happens(s, op) || s->node_of[op] != s->sequence[i])
			continue;
		for (size_t k = 0; k < q->adjacent.len; k++)
			if (q->adjacent.at[k].before == op)
				partner = q->adjacent.at[k].after;
		if (FAULT(SOLVER_SPLITS_ADJACENT))
			partner = OP_NONE;
		if (partner == OP_NONE) {
			vec_push(&a->witness, op);
			continue;
		}
		int literal = encoding_precedes(&s->e, op, partner);
		bool is_first = literal == LITERAL_TRUE ||
				(literal != LITERAL_FALSE && picosat_deref(s->sat, literal) > 0);
		vec_push(&a->witness, is_first ? op : partner);
		vec_push(&a->witness, is_first ? partner : op);
	}
}

/* ---- */

static void solve(struct solver *s, const struct oracle_limits *limits, struct answer *a)
{
	uint64_t rounds = limits->rounds ? limits->rounds : ROUNDS_DEFAULT;
	uint64_t propagations = limits->propagations ? limits->propagations : PROPAGATIONS_DEFAULT;
	for (; a->attempts < rounds; a->attempts++) {
		uint64_t used = picosat_propagations(s->sat) + s->graph.work;
		if (used >= propagations)
			break;
		picosat_set_propagation_limit(s->sat, propagations - used);
		int result = picosat_sat(s->sat, -1);
		if (result == PICOSAT_UNSATISFIABLE) {
			a->verdict = VERDICT_INFEASIBLE;
			return;
		}
		if (result != PICOSAT_SATISFIABLE)
			break;
		make_graph(s);
		if (acyclic_sort(&s->graph, s->sequence)) {
			take_witness(s, a);
			a->verdict = VERDICT_FEASIBLE;
			return;
		}
		if (!exclude_cycles(s))
			break;
		if (s->e.is_contradiction) {
			a->verdict = VERDICT_INFEASIBLE;
			return;
		}
		give_clauses(s);
	}
	a->why = "the solver's budget is used up";
}

void solver_ask(const struct history *h, const struct question *q,
		const struct oracle_limits *limits, struct answer *a)
{
	struct solver s = { 0 };
	a->witness.len = 0;
	a->attempts = 0;
	a->why = NULL;
	a->verdict = VERDICT_UNKNOWN;
	bool is_possible = encoding_init(
		&s.e, h, q, limits->operations ? limits->operations : OPERATIONS_DEFAULT,
		limits->clauses ? limits->clauses : CLAUSES_DEFAULT, &a->why);
	if (!is_possible || s.e.is_contradiction) {
		a->verdict = VERDICT_INFEASIBLE;
		a->why = NULL;
	} else if (!a->why) {
		make_nodes(&s);
		start(&s);
		solve(&s, limits, a);
		picosat_reset(s.sat);
	}
	acyclic_release(&s.graph);
	vec_release(&s.ops);
	vec_release(&s.crossing);
	vec_release(&s.edge_ops);
	mem_free(s.node_of);
	mem_free(s.sequence);
	mem_free(s.cycle);
	encoding_release(&s.e);
}
