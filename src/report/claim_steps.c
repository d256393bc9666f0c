/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a predicted execution, with the values that belong to it, not those of the
 * recorded run.
 *
 * Of a confirmed claim they are what the run that confirmed it read and wrote.  Of any other one
 * they follow from the witness: a read returns what the write before it in the witness wrote.  A
 * thread that has read another value than in the trace may write other values from then on; these
 * are not known, and the steps say so.
 */
#include <string.h>

#include "report/claims.h"

struct following {
	const struct history *h;
	op_id *writer;	    /* by variable: its last write; OP_NONE: none yet */
	bool *is_unknown;   /* by operation: what it writes is not known */
	bool *has_diverged; /* by thread: it has read something else than in the trace */
};

/* What a read returns; false if that is not known. */
static bool content(const struct following *f, uint32_t variable, uint64_t *value)
{
	op_id writer = f->writer[variable];
	bool is_sure = writer == OP_NONE || !f->is_unknown[writer];
	return is_sure && history_value_of(f->h, writer, variable, value);
}

/* An access that an operation makes now, in the event that is shown for it. */
static void follow_access(struct following *f, const struct op *o, const struct op_access *a,
			  struct event *e)
{
	uint64_t value = 0;
	bool is_same = !a->reads || f->writer[a->variable] == a->seen;
	bool is_known = is_same || content(f, a->variable, &value);
	is_same |= is_known && value == a->value;
	if (!is_same) {
		f->has_diverged[o->thread] = true;
		/* The value of a part is not that of the whole. */
		bool is_whole = o->accesses == 1 && e && e->a == a->value && e->kind == EV_READ;
		if (e && is_whole && is_known)
			e->a = value;
		else if (e)
			e->flags |= EVF_HASHED;
	}
	if (!a->writes)
		return;
	f->writer[a->variable] = a->op;
	f->is_unknown[a->op] = f->has_diverged[o->thread];
	if (e && f->has_diverged[o->thread])
		e->flags |= EVF_HASHED;
}

static void follow(struct following *f, op_id op, struct event *e)
{
	const struct op *o = &f->h->ops.at[op];
	for (uint32_t i = 0; i < o->accesses; i++)
		follow_access(f, o, &f->h->accesses.at[o->first_access + i], e);
}

static void add_predicted(struct scene_steps *out, const struct claim *c, const struct history *h,
			  const struct claim_events *e)
{
	struct following f = { .h = h };
	f.writer = mem_alloc((h->variables + 1ull) * sizeof(*f.writer));
	memset(f.writer, 0xff, h->variables * sizeof(*f.writer));
	f.is_unknown = mem_zero(h->ops.len + 1, sizeof(*f.is_unknown));
	f.has_diverged = mem_zero(h->threads + 1ull, sizeof(*f.has_diverged));
	for (size_t i = 0; i < answer_length(&c->answer); i++) {
		op_id op = answer_op(&c->answer, i);
		if (i < claim_first_step(c)) {
			follow(&f, op, NULL);
			continue;
		}
		struct event step = *claim_event(e, h, op);
		step.index = i;
		if (h->has_values)
			follow(&f, op, &step);
		vec_push(&out->events, step);
	}
	mem_free(f.writer);
	mem_free(f.is_unknown);
	mem_free(f.has_diverged);
}

/* An access with the value that it had in a run. */
static void take_value(struct event *e, const struct shown_op *s)
{
	if (e->size > sizeof(s->value) || !s->has_value)
		return;
	bool is_rmw = e->kind == EV_RMW;
	if (e->kind == EV_READ || e->kind == EV_WRITE)
		e->a = s->value;
	else if (is_rmw && s->value != (e->flags & EVF_FAILED ? e->a : e->b))
		e->flags |= EVF_HASHED; /* the run records only what it left */
}

static void add_shown(struct scene_steps *out, const struct confirmation *shown,
		      const struct history *h, const struct claim_events *e, size_t first)
{
	for (size_t i = 0; i < shown->ops.len; i++) {
		struct event step = *claim_event(e, h, shown->ops.at[i].op);
		step.index = first + i;
		take_value(&step, &shown->ops.at[i]);
		vec_push(&out->events, step);
	}
}

void claim_steps(const struct claim *c, const struct confirmation *confirmation,
		 const struct history *h, const struct claim_events *e, struct scene_steps *out)
{
	if (confirmation && confirmation->is_confirmed && confirmation->ops.len)
		add_shown(out, confirmation, h, e, claim_first_step(c));
	else
		add_predicted(out, c, h, e);
}
