/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two searches without reduction: all orders of moves, for the number of classes, and all states,
 * for the outcomes.
 *
 * The class of an execution is a sum over its moves of a hash of what the move did and of the
 * classes of the moves that it depends on; it does not depend on the order of independent moves.
 * Of the explorer's code nothing is used; the relation is that of wire/depend.h, and whether that
 * is right is shown by the outcomes, which do not need it.
 */
#include "explore_vs_dfs/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "wire/depend.h"

enum { MOVES_MAX = 128, OPS_IN_MOVE = 16 };

struct ref_move {
	int thread, count;
	uint64_t hash;
	struct wire_op ops[OPS_IN_MOVE];
};

struct path {
	struct ref_move moves[MOVES_MAX];
	int count;
	uint64_t sum;
};

static bool is_seen(const struct wire_op *op)
{
	return op->kind == EV_CHOICE || op_footprint(op).space != SPACE_NONE;
}

static bool moves_depend(const struct ref_move *a, const struct ref_move *b)
{
	if (a->thread == b->thread)
		return true;
	for (int i = 0; i < a->count; i++)
		for (int k = 0; k < b->count; k++)
			if (ops_depend(&a->ops[i], &b->ops[k]))
				return true;
	return false;
}

/* False: the move cannot be seen by others. */
static bool add_move(struct path *path, int thread, const struct wire_op *ops, int count)
{
	struct ref_move *m = &path->moves[path->count];
	m->thread = thread;
	m->count = 0;
	const struct wire_op *blocked = NULL;
	for (int i = 0; i < count; i++) {
		if (ops[i].kind == OP_BLOCKED)
			blocked = &ops[i];
		if (ops[i].kind == OP_AWAIT)
			break;
		if (is_seen(&ops[i]))
			m->ops[m->count++] = ops[i];
	}
	if (!m->count)
		return false;
	/* It did something and then could not get a lock: that depends on the lock. */
	if (blocked && (blocked->mode == SYNC_MUTEX || blocked->mode == SYNC_SEMAPHORE))
		m->ops[m->count++] = (struct wire_op){ .kind = EV_WAIT, .object = blocked->object };
	m->hash = (uint64_t)thread;
	for (int i = 0; i < m->count; i++) {
		/* Posts commute, so what one of them left says nothing. */
		uint64_t value = m->ops[i].kind == EV_SEM_POST ? 0 : m->ops[i].value;
		m->hash = hash_mix(hash_mix(m->hash, m->ops[i].object),
				   (uint64_t)m->ops[i].kind << 32 | value);
	}
	uint64_t before = 0;
	for (int i = 0; i < path->count; i++)
		if (moves_depend(&path->moves[i], m))
			before += hash_mix(77, path->moves[i].hash);
	m->hash = hash_mix(m->hash, before);
	path->sum += hash_mix(99, m->hash);
	path->count++;
	return true;
}

uint64_t reference_class(const struct wire_op *ops, size_t count)
{
	static struct path path;
	path.count = 0;
	path.sum = 0;
	for (size_t i = 0; i < count;) {
		size_t end = i + 1;
		while (end < count && ops[end].kind != OP_STEP)
			end++;
		add_move(&path, (int)ops[i].object, ops + i + 1, (int)(end - i - 1));
		i = end;
	}
	return path.sum;
}

/* ---- all orders ---- */

struct orders {
	const struct sim_program *program;
	struct path path;
	uint64_t found, limit;
	struct map *classes;
};

/* What nobody can notice is done at once: it is no move. */
static void run_silent(const struct sim_program *p, struct sim_state *s, int t)
{
	for (;;) {
		bool is_late;
		if (!sim_can_go(p, s, t, &is_late) || s->pc[t] >= p->length[t])
			return;
		const struct instruction *i = &p->code[t][s->pc[t]];
		bool is_out = i->kind == DO_BARRIER && s->is_woken[t];
		bool is_quiet =
			i->kind == DO_NOTHING || i->kind == DO_SKIP_IF || is_out ||
			((i->kind == DO_ASSERT || i->kind == DO_ASSUME) && s->reg[t] != i->b);
		if (!is_quiet)
			return;
		struct sim_list list = { 0 };
		sim_go(p, s, t, 0, &list);
	}
}

static void search_orders(struct orders *o, const struct sim_state *s)
{
	bool is_stuck = true;
	for (int t = 0; t < o->program->threads && s->end == SIM_RUNS; t++) {
		bool is_late;
		struct sim_state ready = *s;
		run_silent(o->program, &ready, t);
		if (!sim_can_go(o->program, &ready, t, &is_late))
			continue;
		is_stuck = false;
		for (int c = 0; c < sim_choices(o->program, &ready, t) && o->found < o->limit;
		     c++) {
			struct sim_state next = ready;
			struct sim_list list = { 0 };
			sim_go(o->program, &next, t, c, &list);
			/* A failing try first, if the thread can continue after it. */
			if (is_late && list.is_blocked && list.count == 1) {
				list.count = 0;
				sim_go(o->program, &next, t, c, &list);
			}
			int count = o->path.count;
			uint64_t sum = o->path.sum;
			add_move(&o->path, t, list.ops, list.count);
			search_orders(o, &next);
			o->path.count = count;
			o->path.sum = sum;
		}
	}
	if (is_stuck) {
		o->found++;
		map_put(o->classes, o->path.sum, NULL);
	}
}

bool reference_classes(const struct sim_program *p, uint64_t limit, struct map *classes)
{
	static struct orders o;
	o = (struct orders){ .program = p, .limit = limit, .classes = classes };
	struct sim_state s;
	sim_start(p, &s);
	search_orders(&o, &s);
	return o.found < limit;
}

/* ---- all states ---- */

struct states {
	const struct sim_program *program;
	struct map seen;
	uint64_t limit;
	bool with_memory;
	struct map *outcomes;
};

static void search_states(struct states *x, struct sim_state *s)
{
	bool is_new;
	map_put(&x->seen, hash_bytes(1, s, sizeof(*s)), &is_new);
	if (!is_new || x->seen.len > x->limit)
		return;
	bool is_stuck = true;
	for (int t = 0; t < x->program->threads && s->end == SIM_RUNS; t++) {
		bool is_late;
		if (!sim_can_go(x->program, s, t, &is_late))
			continue;
		is_stuck = false;
		for (int c = 0; c < sim_choices(x->program, s, t); c++) {
			struct sim_state next = *s;
			struct sim_list list = { 0 };
			sim_go(x->program, &next, t, c, &list);
			if (is_late && list.is_blocked && list.count == 1) {
				list.count = 0;
				sim_go(x->program, &next, t, c, &list);
			}
			search_states(x, &next);
		}
	}
	if (is_stuck) {
		if (s->end == SIM_RUNS)
			s->end = SIM_DEADLOCK;
		map_put(x->outcomes, sim_outcome(x->program, s, x->with_memory), NULL);
	}
}

bool reference_outcomes(const struct sim_program *p, uint64_t limit, bool with_memory,
			struct map *outcomes)
{
	struct states x = {
		.program = p, .limit = limit, .with_memory = with_memory, .outcomes = outcomes
	};
	struct sim_state s;
	sim_start(p, &s);
	search_states(&x, &s);
	bool is_whole = x.seen.len <= limit;
	map_release(&x.seen);
	return is_whole;
}
