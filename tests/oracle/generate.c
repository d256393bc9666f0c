/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs are made of pieces: plain accesses, critical sections (nested, shared, overlapping
 * without nesting, never closed), tries, waits inside a section, and so on.  Few variables and
 * locks, so that operations meet.  Questions are those that the analyses ask (a pair adjacent,
 * threads about to do something, an order) and any mixture of demands.
 */
#include "generate.h"

struct writer {
	struct sim_program *p;
	struct sim_random *r;
	uint32_t t;
	uint32_t held; /* bits */
	uint32_t limit;
};

static void put(struct writer *w, enum sim_code code, uint32_t object, uint32_t value)
{
	uint32_t *n = &w->p->thread[w->t].length;
	if (*n < SIM_CODE)
		w->p->thread[w->t].code[(*n)++] =
			(struct sim_instruction){ (uint8_t)code, (uint8_t)object, (uint8_t)value };
}

static void put_access(struct writer *w)
{
	static const uint8_t codes[] = { SIM_READ,  SIM_READ,  SIM_READ,	   SIM_READ_TWO,
					 SIM_WRITE, SIM_WRITE, SIM_WRITE_REGISTER, SIM_ADD };
	put(w, (enum sim_code)codes[sim_random(w->r, sizeof(codes))],
	    sim_random(w->r, SIM_VARIABLES), sim_random(w->r, 3));
}

static void put_pieces(struct writer *w, uint32_t n, uint32_t depth);

static void put_section(struct writer *w, uint32_t depth)
{
	uint32_t l = sim_random(w->r, SIM_LOCKS), how = sim_random(w->r, 10);
	if (w->held & 1u << l)
		return;
	w->held |= 1u << l;
	if (how == 0) {
		/* A try that fails skips its section. */
		uint32_t at = w->p->thread[w->t].length;
		put(w, SIM_TRY, l, 0);
		put_access(w);
		put(w, SIM_RELEASE, l, 0);
		if (at < SIM_CODE)
			w->p->thread[w->t].code[at].value = 2;
		w->held &= ~(1u << l);
		return;
	}
	put(w, SIM_REQUEST, l, 0);
	put(w, how < 3 ? SIM_ACQUIRE_SHARED : SIM_ACQUIRE, l, 0);
	put_pieces(w, 1 + sim_random(w->r, 2), depth + 1);
	if (how == 9 && sim_random(w->r, 3) == 0) {
		/* Give it up and wait for a signal, as a condition variable does. */
		put(w, SIM_WAIT, 0, 0);
		put(w, SIM_RELEASE, l, 0);
		put(w, SIM_WAKE, 0, 0);
		put(w, SIM_REQUEST, l, 0);
		put(w, SIM_ACQUIRE, l, 0);
	}
	if (how == 8)
		return; /* stays open, or is closed somewhere else */
	put(w, SIM_RELEASE, l, 0);
	w->held &= ~(1u << l);
}

static void put_once(struct writer *w)
{
	uint32_t x = sim_random(w->r, SIM_VARIABLES);
	put(w, SIM_ONCE, 0, 2);
	put(w, SIM_WRITE, x, 1);
	put(w, SIM_ONCE_END, 0, 0);
}

static void put_pieces(struct writer *w, uint32_t n, uint32_t depth)
{
	while (n-- && w->p->thread[w->t].length < w->limit) {
		uint32_t what = sim_random(w->r, 24);
		if (what < 9 || depth > 2) {
			put_access(w);
		} else if (what < 11) {
			put(w, SIM_BRANCH, 0, 1);
			put_access(w);
		} else if (what < 19) {
			put_section(w, depth);
		} else if (what == 19) {
			put(w, SIM_POST, 0, 0);
		} else if (what == 20) {
			put(w, sim_random(w->r, 2) ? SIM_SEM_WAIT : SIM_POST, 0, 0);
		} else if (what == 21) {
			put(w, sim_random(w->r, 4) ? SIM_SIGNAL : SIM_BROADCAST, 0, 0);
		} else if (what == 22) {
			put(w, SIM_ARRIVE, 0, 0);
			put(w, SIM_LEAVE, 0, 0);
		} else if (sim_random(w->r, 2)) {
			put_once(w);
		} else {
			put(w, SIM_FREE, sim_random(w->r, SIM_VARIABLES), 0);
		}
	}
}

void sim_generate(struct sim_program *p, struct sim_random *r, uint32_t threads, uint32_t size)
{
	memset(p, 0, sizeof(*p));
	p->threads = threads;
	p->sem_value = sim_random(r, 2);
	p->barrier_count = 2 + (threads > 2 && sim_random(r, 2));
	if (!size)
		size = 4 + sim_random(r, 8);
	for (uint32_t t = threads; t-- > 0;) {
		struct writer w = { p, r, t, 0, size };
		if (t && sim_random(r, 4) == 0) {
			p->thread[t].is_forked = true;
			put(&w, SIM_BEGIN, t, 0);
		}
		put_pieces(&w, size, 0);
		/* Non-nested: what is still held ends here, in any order. */
		for (uint32_t l = 0; l < SIM_LOCKS; l++)
			if (w.held & 1u << l && sim_random(r, 3))
				put(&w, SIM_RELEASE, l, 0);
	}
	struct writer w = { p, r, 0, 0, SIM_CODE };
	for (uint32_t t = 1; t < threads; t++) {
		if (!p->thread[t].is_forked)
			continue;
		/* Early in the first thread, so that the others run at all. */
		memmove(&p->thread[0].code[1], &p->thread[0].code[0],
			(SIM_CODE - 1) * sizeof(p->thread[0].code[0]));
		p->thread[0].code[0] = (struct sim_instruction){ SIM_FORK, (uint8_t)t, 0 };
		p->thread[0].length += p->thread[0].length < SIM_CODE;
		if (sim_random(r, 3) == 0)
			put(&w, SIM_JOIN, t, 0);
	}
}

/* ---- questions ---- */

static op_id any_op(const struct history *h, struct sim_random *r)
{
	return sim_random(r, (uint32_t)h->ops.len);
}

/* Two accesses of different threads that conflict; false if none was met. */
static bool conflicting_pair(const struct history *h, struct sim_random *r, op_id *x, op_id *y)
{
	for (int tries = 0; tries < 40; tries++) {
		const struct op_access *a =
			h->accesses.len ? &h->accesses.at[sim_random(r, (uint32_t)h->accesses.len)]
					: NULL;
		const struct op_access *b =
			a ? &h->accesses.at[sim_random(r, (uint32_t)h->accesses.len)] : NULL;
		if (!a || h->ops.at[a->op].thread == h->ops.at[b->op].thread ||
		    a->variable != b->variable || !(a->writes || b->writes))
			continue;
		*x = a->op;
		*y = b->op;
		return true;
	}
	return false;
}

static void ask_pending(const struct history *h, struct sim_random *r, struct question *q)
{
	uint32_t n = 1 + sim_random(r, h->threads);
	for (uint32_t i = 0; i < n; i++) {
		op_id op = any_op(h, r);
		bool is_taken = false;
		for (size_t k = 0; k < q->pending.len; k++)
			is_taken |= h->ops.at[q->pending.at[k]].thread == h->ops.at[op].thread;
		if (!is_taken)
			vec_push(&q->pending, op);
	}
}

static void ask_sight(const struct history *h, struct sim_random *r, struct question *q)
{
	for (int tries = 0; tries < 20 && h->accesses.len; tries++) {
		const struct op_access *a =
			&h->accesses.at[sim_random(r, (uint32_t)h->accesses.len)];
		const struct op_access *w =
			&h->accesses.at[sim_random(r, (uint32_t)h->accesses.len)];
		if (!a->reads || !w->writes || w->variable != a->variable || w->op == a->op)
			continue;
		struct question_sight s = { .read = a->op,
					    .variable = a->variable,
					    .write = w->op };
		if (sim_random(r, 8) == 0)
			s.write = OP_NONE;
		if (sim_random(r, 4) == 0) {
			s.by_value = true;
			s.value = sim_random(r, 3);
		}
		vec_push(&q->sights, s);
		return;
	}
}

static void ask_sequence(const struct history *h, struct sim_random *r, struct question *q)
{
	op_id ops[4];
	uint32_t n = 2 + sim_random(r, 3);
	for (uint32_t i = 0; i < n; i++)
		ops[i] = any_op(h, r);
	question_add_sequence(q, ops, n);
}

bool generate_question(const struct history *h, struct sim_random *r, struct question *q)
{
	op_id x, y;
	if (h->ops.len < 2)
		return false;
	switch (sim_random(r, 8)) {
	case 0:
	case 1:
		ask_sequence(h, r, q);
		break;
	case 2: /* the other order of a conflicting pair */
		if (!conflicting_pair(h, r, &x, &y))
			return false;
		question_add_sequence(q, (op_id[]){ x > y ? x : y, x > y ? y : x }, 2);
		break;
	case 3: /* a race */
		if (!conflicting_pair(h, r, &x, &y))
			return false;
		vec_push(&q->pending, x);
		vec_push(&q->pending, y);
		break;
	case 4: /* a race as an adjacent pair */
		if (!conflicting_pair(h, r, &x, &y))
			return false;
		vec_push(&q->adjacent, ((struct op_order){ x, y }));
		if (sim_random(r, 2))
			vec_push(&q->orders, ((struct op_order){ y, x }));
		break;
	case 5:
		ask_pending(h, r, q);
		break;
	case 6:
		ask_sight(h, r, q);
		break;
	case 7:
		ask_sequence(h, r, q);
		if (sim_random(r, 2))
			ask_pending(h, r, q);
		if (sim_random(r, 3) == 0)
			ask_sight(h, r, q);
		if (sim_random(r, 3) == 0 && conflicting_pair(h, r, &x, &y))
			vec_push(&q->adjacent, ((struct op_order){ x, y }));
		break;
	}
	if (sim_random(r, 6) == 0)
		vec_push(&q->include, any_op(h, r));
	if (sim_random(r, 8) == 0)
		vec_push(&q->loose, any_op(h, r));
	q->same_values = sim_random(r, 3) == 0;
	return q->include.len || q->orders.len || q->adjacent.len || q->pending.len ||
	       q->sights.len;
}
