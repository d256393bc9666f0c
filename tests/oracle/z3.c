/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver engine against Z3, on histories that are too large for brute force: z3 COUNT
 * [FIRST-SEED].
 *
 * Z3 gets the definition of src/oracle/question.h in another form: each operation has an integer,
 * its place in the sequence, and a Boolean, whether it happens.  So neither the variables nor the
 * treatment of cycles are those of the engine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <z3.h>

#include "generate.h"
#include "oracle/oracle.h"

struct formula {
	Z3_context z;
	Z3_solver s;
	const struct history *h;
	const struct question *q;
	Z3_ast place[SIM_OPS_LARGE], happens[SIM_OPS_LARGE];
};

static Z3_ast not(const struct formula *f, Z3_ast a)
{
	return Z3_mk_not(f->z, a);
}
static Z3_ast or (const struct formula *f, Z3_ast a, Z3_ast b)
{
	return Z3_mk_or(f->z, 2, (Z3_ast[]){ a, b });
}
static Z3_ast and (const struct formula *f, Z3_ast a, Z3_ast b)
{
	return Z3_mk_and(f->z, 2, (Z3_ast[]){ a, b });
}
static Z3_ast before(const struct formula *f, op_id x, op_id y)
{
	return Z3_mk_lt(f->z, f->place[x], f->place[y]);
}

static void demand(struct formula *f, Z3_ast a)
{
	Z3_solver_assert(f->z, f->s, a);
}

static void make_variables(struct formula *f)
{
	Z3_sort number = Z3_mk_int_sort(f->z), truth = Z3_mk_bool_sort(f->z);
	for (op_id i = 0; i < f->h->ops.len; i++) {
		f->place[i] = Z3_mk_const(f->z, Z3_mk_int_symbol(f->z, (int)(2 * i)), number);
		f->happens[i] = Z3_mk_const(f->z, Z3_mk_int_symbol(f->z, (int)(2 * i + 1)), truth);
	}
}

static void demand_threads(struct formula *f)
{
	const struct history *h = f->h;
	for (op_id i = 0; i < h->ops.len; i++) {
		const struct op *o = &h->ops.at[i];
		if (o->own) {
			op_id last = history_op(h, o->thread, o->own - 1);
			demand(f, before(f, last, i));
			demand(f, Z3_mk_implies(f->z, f->happens[i], f->happens[last]));
		}
		for (uint32_t k = 0; k < o->causes; k++) {
			op_id cause = h->causes.at[o->first_cause + k].before;
			demand(f, Z3_mk_implies(f->z, f->happens[i],
						and(f, f->happens[cause], before(f, cause, i))));
		}
	}
	for (size_t i = 0; i < h->orders.len; i++) {
		const struct op_order *o = &h->orders.at[i];
		demand(f, Z3_mk_implies(f->z, and(f, f->happens[o->before], f->happens[o->after]),
					before(f, o->before, o->after)));
	}
}

static Z3_ast ends_before(const struct formula *f, op_id first, op_id second)
{
	op_id end = f->h->ops.at[first].match;
	return end == OP_NONE ? Z3_mk_false(f->z) : and(f, f->happens[end], before(f, end, second));
}

static void demand_locks(struct formula *f)
{
	for (op_id i = 0; i < f->h->ops.len; i++)
		for (op_id k = i + 1; k < f->h->ops.len; k++) {
			const struct op *a = &f->h->ops.at[i], *b = &f->h->ops.at[k];
			if (a->kind != OP_ACQUIRE || b->kind != OP_ACQUIRE || a->lock != b->lock ||
			    a->thread == b->thread || (a->is_shared && b->is_shared))
				continue;
			demand(f,
			       Z3_mk_implies(f->z, and(f, f->happens[i], f->happens[k]),
					     or (f, ends_before(f, i, k), ends_before(f, k, i))));
		}
}

/* ---- reads ---- */

static Z3_ast sees(const struct formula *f, const struct op_access *r, op_id write)
{
	Z3_ast all = write == OP_NONE ? Z3_mk_true(f->z)
				      : and(f, f->happens[write], before(f, write, r->op));
	for (size_t i = 0; i < f->h->accesses.len; i++) {
		const struct op_access *w = &f->h->accesses.at[i];
		if (!w->writes || w->variable != r->variable || w->op == write || w->op == r->op)
			continue;
		Z3_ast away = before(f, r->op, w->op);
		if (write != OP_NONE)
			away = or (f, away, before(f, w->op, write));
		all = and(f, all, or (f, not(f, f->happens[w->op]), away));
	}
	return all;
}

static Z3_ast sees_value(const struct formula *f, const struct op_access *r, uint64_t value)
{
	uint64_t initial;
	Z3_ast any = history_value_of(f->h, OP_NONE, r->variable, &initial) && initial == value
			     ? sees(f, r, OP_NONE)
			     : Z3_mk_false(f->z);
	for (size_t i = 0; i < f->h->accesses.len; i++) {
		const struct op_access *w = &f->h->accesses.at[i];
		if (w->writes && w->variable == r->variable && w->op != r->op &&
		    w->written == value)
			any = or (f, any, sees(f, r, w->op));
	}
	return any;
}

/* Whether the thread gets to what depends on the read. */
static Z3_ast is_frozen(const struct formula *f, op_id read)
{
	const struct op *o = &f->h->ops.at[read];
	for (size_t i = 0; i < f->q->loose.len; i++)
		if (f->q->loose.at[i] == read)
			return Z3_mk_false(f->z);
	for (size_t i = 0; i < f->q->pending.len; i++) {
		const struct op *p = &f->h->ops.at[f->q->pending.at[i]];
		if (p->thread == o->thread && o->own < p->own && o->guard <= p->own)
			return Z3_mk_true(f->z);
	}
	if (o->guard >= history_length(f->h, o->thread))
		return Z3_mk_false(f->z);
	return f->happens[history_op(f->h, o->thread, o->guard)];
}

static void demand_read(struct formula *f, const struct op_access *r)
{
	Z3_ast frozen = is_frozen(f, r->op);
	bool by_value = f->q->same_values;
	for (size_t i = 0; i < f->q->sights.len; i++) {
		const struct question_sight *s = &f->q->sights.at[i];
		if (s->read != r->op || s->variable != r->variable)
			continue;
		demand(f, f->happens[r->op]);
		demand(f, s->by_value ? sees_value(f, r, s->value) : sees(f, r, s->write));
		by_value |= s->by_value && s->value == r->value;
	}
	demand(f, Z3_mk_implies(f->z, frozen,
				by_value ? or (f, sees(f, r, r->seen), sees_value(f, r, r->value))
					 : sees(f, r, r->seen)));
}

/* ---- the question ---- */

static void demand_question(struct formula *f)
{
	const struct question *q = f->q;
	for (size_t i = 0; i < q->include.len; i++)
		demand(f, f->happens[q->include.at[i]]);
	for (size_t i = 0; i < q->orders.len; i++) {
		op_id x = q->orders.at[i].before, y = q->orders.at[i].after;
		demand(f, and(f, and(f, f->happens[x], f->happens[y]), before(f, x, y)));
	}
	for (size_t i = 0; i < q->adjacent.len; i++) {
		op_id x = q->adjacent.at[i].before, y = q->adjacent.at[i].after;
		demand(f, and(f, f->happens[x], f->happens[y]));
		for (op_id e = 0; e < f->h->ops.len; e++) {
			if (e == x || e == y)
				continue;
			Z3_ast first = and(f, before(f, e, x), before(f, e, y)),
			       last = and(f, before(f, x, e), before(f, y, e));
			demand(f, or (f, not(f, f->happens[e]), or (f, first, last)));
		}
	}
	for (size_t i = 0; i < q->pending.len; i++) {
		const struct op *o = &f->h->ops.at[q->pending.at[i]];
		demand(f, not(f, f->happens[q->pending.at[i]]));
		if (o->own)
			demand(f, f->happens[history_op(f->h, o->thread, o->own - 1)]);
	}
}

static enum verdict ask_z3(const struct history *h, const struct question *q)
{
	Z3_config config = Z3_mk_config();
	Z3_set_param_value(config, "timeout", "20000");
	struct formula f = { .z = Z3_mk_context(config), .h = h, .q = q };
	f.s = Z3_mk_simple_solver(f.z);
	Z3_solver_inc_ref(f.z, f.s);
	make_variables(&f);
	demand(&f, Z3_mk_distinct(f.z, (unsigned)h->ops.len, f.place));
	demand_threads(&f);
	demand_locks(&f);
	for (size_t i = 0; i < h->accesses.len; i++)
		if (h->accesses.at[i].reads)
			demand_read(&f, &h->accesses.at[i]);
	demand_question(&f);
	Z3_lbool result = Z3_solver_check(f.z, f.s);
	Z3_solver_dec_ref(f.z, f.s);
	Z3_del_context(f.z);
	Z3_del_config(config);
	return result == Z3_L_TRUE    ? VERDICT_FEASIBLE
	       : result == Z3_L_FALSE ? VERDICT_INFEASIBLE
				      : VERDICT_UNKNOWN;
}

int main(int argc, char **argv)
{
	static const struct oracle_limits limits;
	static struct sim_program program;
	static struct sim_run run;
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20,
		 first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	uint64_t asked[3] = { 0 }, operations = 0;
	for (uint64_t i = 0; i < count; i++) {
		struct sim_random r = { (first + i) * 0x9e3779b97f4a7c15ull + 3 };
		struct question q = { 0 };
		struct answer a = { 0 };
		sim_generate(&program, &r, 2 + (uint32_t)(i % 4), 24);
		sim_run(&program, &r, sim_random(&r, 2), SIM_OPS_LARGE, &run);
		if (generate_question(&run.history, &r, &q)) {
			solver_ask(&run.history, &q, &limits, &a);
			enum verdict z3 = ask_z3(&run.history, &q);
			asked[z3]++;
			operations += run.history.ops.len;
			if (z3 != VERDICT_UNKNOWN && a.verdict != z3) {
				printf("seed %llu: the solver answers %d, Z3 %d\n",
				       (unsigned long long)(first + i), a.verdict, z3);
				return 1;
			}
		}
		answer_release(&a);
		question_release(&q);
		history_release(&run.history);
	}
	printf("%llu questions feasible, %llu infeasible, %llu undecided by Z3, %.1f operations on "
	       "average\n",
	       (unsigned long long)asked[VERDICT_FEASIBLE],
	       (unsigned long long)asked[VERDICT_INFEASIBLE],
	       (unsigned long long)asked[VERDICT_UNKNOWN], (double)operations / (double)count);
	return asked[VERDICT_FEASIBLE] && asked[VERDICT_INFEASIBLE] ? 0 : 1;
}
