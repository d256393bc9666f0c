/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders that hold in every execution, so that an ordered pair can be left out before the oracle
 * is asked: one pass orders all instances of two places, however many there are.
 *
 * A clock for each thread counts how many operations of every thread must have happened.
 * Invariant: whenever an operation happens in some execution, the operations that its clock
 * counts have happened before.  Rules, each with the reason why it keeps the invariant:
 *
 *   causes     A cause passes its clock to its effect.
 *   reads      A read owes a clock, due when its thread gets to what depends on the read.  If one
 *              write alone left the value, the read sees that write, and owes its clock.
 *   values     Otherwise the read sees one of several writes of the value, and owes what their
 *              clocks have in common.  A write cannot be seen if it must precede another write of
 *              the variable that must precede the read.  Of each thread the first write that can
 *              be seen is enough, because clocks grow along a thread.  A write that the pass has
 *              not reached yet has at least the clock that its thread has now.  If the initial
 *              content can be seen, nothing is owed.
 *   sections   A thread holds a lock, and the acquire of another thread's section of the lock
 *              must precede the current operation.  The sections exclude each other, and the own
 *              one is not over, so the other one is: its release must precede the current
 *              operation.  At the acquire itself this is not used, since a thread that is about
 *              to acquire may wait for that release.
 *
 * Leaving out a rule is always right.  So only the last points of a thread at a variable or lock
 * are kept, and nothing is concluded for variables and locks that many threads use.
 */
#include "predict/must.h"

#include "wire/fault.h"

#define NO_THREAD UINT32_MAX
#define RUNS_MAX 32 /* threads that write a variable, or take a lock */

void must_init(struct must *m, const struct history *h)
{
	*m = (struct must){ .h = h };
	m->clock = mem_zero(h->threads + 1ull, sizeof(*m->clock));
	m->nothing = mem_zero(h->threads + 1ull, sizeof(*m->nothing));
	m->ended = NO_THREAD;
	m->written = mem_zero(h->variables + 1ull, sizeof(*m->written));
	m->snapshot = mem_zero(h->ops.len + 1, sizeof(*m->snapshot));
	m->effects = mem_zero(h->ops.len + 1, sizeof(*m->effects));
	m->recent = mem_zero(h->runs.len + 1, sizeof(*m->recent));
	m->common = mem_zero(h->threads + 1ull, sizeof(*m->common));
	m->threads = mem_zero(h->threads + 1ull, sizeof(*m->threads));
	for (size_t i = 0; i < h->causes.len; i++)
		m->effects[h->causes.at[i].before]++;
}

void must_release(struct must *m)
{
	for (uint32_t t = 0; t < m->h->threads; t++) {
		mem_free(m->clock[t]);
		for (size_t i = 0; i < m->threads[t].debts.len; i++)
			mem_free(m->threads[t].debts.at[i].clock);
		vec_release(&m->threads[t].debts);
		vec_release(&m->threads[t].held);
	}
	for (uint32_t x = 0; x < m->h->variables; x++)
		mem_free(m->written[x]);
	for (size_t i = 0; i < m->h->ops.len; i++)
		mem_free(m->snapshot[i]);
	for (size_t i = 0; i < m->h->runs.len; i++) {
		for (size_t k = 0; m->recent[i] && k < MUST_RECENT; k++)
			mem_free(m->recent[i]->points[k].clock);
		mem_free(m->recent[i]);
	}
	mem_free(m->clock);
	mem_free(m->nothing);
	mem_free(m->written);
	mem_free(m->snapshot);
	mem_free(m->effects);
	mem_free(m->recent);
	mem_free(m->common);
	mem_free(m->threads);
	*m = (struct must){ 0 };
}

/* ---- clocks ---- */

static void join(struct must *m, uint32_t thread, const uint32_t *from)
{
	uint32_t *to = m->clock[thread];
	for (uint32_t t = 0; t < m->h->threads; t++)
		if (to[t] < from[t]) {
			to[t] = from[t];
			m->threads[thread].has_grown = true;
		}
}

static uint32_t *copy_of(const struct must *m, uint32_t *to, const uint32_t *from)
{
	if (!to)
		to = mem_alloc(m->h->threads * sizeof(*to));
	memcpy(to, from, m->h->threads * sizeof(*to));
	return to;
}

/* ---- the last points of a run ---- */

static void remember(struct must *m, const uint32_t *runs, uint32_t thread, struct must_point now)
{
	uint32_t i = runs[0];
	if (runs[1] - runs[0] > RUNS_MAX)
		return;
	while (m->h->runs.at[i].thread != thread)
		i++;
	if (!m->recent[i])
		m->recent[i] = mem_zero(1, sizeof(**m->recent));
	struct must_recent *r = m->recent[i];
	struct must_point *p = &r->points[r->count % MUST_RECENT];
	if (r->count++ >= MUST_RECENT)
		r->forgotten = p->own + 1;
	now.clock = copy_of(m, p->clock, m->clock[thread]);
	*p = now;
}

/* The n-th of the last points, the latest one first; NULL if there is none. */
static const struct must_point *point_back(const struct must_recent *r, uint64_t n)
{
	if (!r || n >= r->count || n >= MUST_RECENT)
		return NULL;
	return &r->points[(r->count - 1 - n) % MUST_RECENT];
}

/* ---- reads ---- */

static void pay_debts(struct must *m, const struct op *o)
{
	size_t kept = 0;
	for (size_t i = 0; i < m->threads[o->thread].debts.len; i++) {
		struct must_debt *d = &m->threads[o->thread].debts.at[i];
		if (d->guard > o->own) {
			m->threads[o->thread].debts.at[kept++] = *d;
			continue;
		}
		join(m, o->thread, d->clock);
		mem_free(d->clock);
	}
	m->threads[o->thread].debts.len = kept;
}

static void owe(struct must *m, const struct op *o, const uint32_t *clock)
{
	struct must_debt d = { o->guard, copy_of(m, NULL, clock) };
	vec_push(&m->threads[o->thread].debts, d);
}

/* Writes of one thread below this position must be overwritten before its thread gets to where it
 * is. */
static uint32_t overwritten(const struct must *m, const uint32_t *runs, uint32_t reader,
			    uint32_t writer)
{
	uint32_t end = 0;
	for (uint32_t i = runs[0]; i < runs[1]; i++) {
		uint32_t thread = m->h->runs.at[i].thread;
		const struct must_point *p;
		for (uint64_t n = 0; (p = point_back(m->recent[i], n)); n++)
			if (p->own < m->clock[reader][thread])
				break;
		uint32_t before = !p ? 0 : thread == writer ? p->own : p->clock[writer];
		end = end < before ? before : end;
	}
	return end;
}

/*
 * What must precede every write of the value in a run, from a position on, that the reader may
 * see; NULL if it may see none.  False if that is not known.
 */
static bool first_visible(const struct must *m, uint32_t reader, uint32_t run, uint32_t from,
			  uint64_t value, const uint32_t **clock)
{
	const struct must_recent *r = m->recent[run];
	uint32_t thread = m->h->runs.at[run].thread;
	const struct must_point *p;
	*clock = NULL;
	if (r && r->forgotten > from)
		return false;
	for (uint64_t n = 0; (p = point_back(r, n)) && p->own >= from; n++)
		if (p->value == value)
			*clock = p->clock;
	bool has_more = thread != reader &&
			history_first_from(m->h, &m->h->runs.at[run], m->threads[thread].made) !=
				UINT32_MAX;
	if (FAULT(MUST_IGNORES_LATER_WRITES))
		return true;
	if (!*clock && has_more)
		*clock = must_clock(m, thread);
	return true;
}

static bool can_see_initial(const struct must *m, const struct op_access *a, uint32_t reader)
{
	const uint32_t *runs = m->h->writers + a->variable;
	uint64_t value;
	for (uint32_t i = runs[0]; i < runs[1]; i++) {
		const struct history_run *run = &m->h->runs.at[i];
		if (history_last_before(m->h, run, m->clock[reader][run->thread]) != UINT32_MAX)
			return false;
	}
	return a->seen == OP_NONE ||
	       (history_value_of(m->h, OP_NONE, a->variable, &value) && value == a->value);
}

/* A read that may see several writes. */
static void owe_common(struct must *m, const struct op *o, const struct op_access *a)
{
	const uint32_t *runs = m->h->writers + a->variable;
	bool has_any = false;
	uint64_t seen;
	/* A write that covers only a part left something else than was read. */
	if (a->seen != OP_NONE &&
	    !(history_value_of(m->h, a->seen, a->variable, &seen) && seen == a->value))
		return;
	if (runs[1] - runs[0] > RUNS_MAX || can_see_initial(m, a, o->thread))
		return;
	for (uint32_t i = runs[0]; i < runs[1]; i++) {
		const uint32_t *clock;
		uint32_t from = overwritten(m, runs, o->thread, m->h->runs.at[i].thread);
		if (FAULT(MUST_SEES_OVERWRITTEN))
			from = UINT32_MAX - 1;
		if (!first_visible(m, o->thread, i, from, a->value, &clock))
			return;
		for (uint32_t t = 0; clock && t < m->h->threads; t++)
			if (!has_any || clock[t] < m->common[t])
				m->common[t] = clock[t];
		has_any |= clock != NULL;
	}
	if (has_any)
		owe(m, o, m->common);
}

static void step_read(struct must *m, const struct op *o, const struct op_access *a)
{
	const struct op *w = a->seen == OP_NONE ? NULL : &m->h->ops.at[a->seen];
	if (o->guard == GUARD_NEVER)
		return;
	if (a->has_twin)
		owe_common(m, o, a);
	else if (w && w->thread != o->thread && m->written[a->variable])
		owe(m, o, m->written[a->variable]);
}

/* ---- sections ---- */

/* The last section of the lock in a run whose acquire must have happened, if it excludes this one.
 */
static const struct must_point *excluded_section(const struct must *m, uint32_t run,
						 const struct op *acquire)
{
	const struct must_point *p;
	uint32_t reached = m->clock[acquire->thread][m->h->runs.at[run].thread];
	for (uint64_t n = 0; (p = point_back(m->recent[run], n)); n++)
		if (p->own < reached && !(p->is_shared && acquire->is_shared))
			return p;
	return NULL;
}

static void follow_sections(struct must *m, uint32_t thread)
{
	struct must_thread *t = &m->threads[thread];
	while (t->has_grown) {
		t->has_grown = false;
		for (size_t i = 0; i < t->held.len; i++) {
			const struct op *acquire = &m->h->ops.at[t->held.at[i]];
			const uint32_t *runs = m->h->takers + acquire->lock;
			for (uint32_t k = runs[0]; k < runs[1] && runs[1] - runs[0] <= RUNS_MAX;
			     k++) {
				const struct must_point *p =
					m->h->runs.at[k].thread == thread
						? NULL
						: excluded_section(m, k, acquire);
				if (p)
					join(m, thread, p->clock);
			}
		}
	}
}

/* After the step of an acquire or a release. */
static void step_lock(struct must *m, const struct op *o, op_id op)
{
	struct must_thread *t = &m->threads[o->thread];
	size_t kept = 0;
	if (o->kind == OP_ACQUIRE) {
		vec_push(&t->held, op);
		t->has_grown = true;
		return;
	}
	for (size_t i = 0; i < t->held.len; i++) {
		bool is_kept = t->held.at[i] != o->match;
		if (FAULT(MUST_KEEPS_RELEASED_LOCKS))
			is_kept = true;
		if (is_kept)
			t->held.at[kept++] = t->held.at[i];
	}
	t->held.len = kept;
	if (o->match != OP_NONE)
		remember(m, m->h->takers + o->lock, o->thread,
			 (struct must_point){ .own = m->h->ops.at[o->match].own,
					      .is_shared = m->h->ops.at[o->match].is_shared });
}

/* ---- */

/*
 * The clock of the thread.  Of many threads few may be there at a time, so a clock is made for the
 * first operation of its thread; nothing asks for it after the last.
 */
static uint32_t *begin_step(struct must *m, uint32_t thread)
{
	if (m->ended != NO_THREAD) {
		mem_free(m->clock[m->ended]);
		m->clock[m->ended] = NULL;
		m->ended = NO_THREAD;
	}
	if (!m->clock[thread])
		m->clock[thread] = mem_zero(m->h->threads + 1ull, sizeof(**m->clock));
	return m->clock[thread];
}

static void take_cause(struct must *m, uint32_t thread, op_id cause)
{
	if (!m->snapshot[cause])
		return;
	join(m, thread, m->snapshot[cause]);
	if (--m->effects[cause])
		return;
	mem_free(m->snapshot[cause]);
	m->snapshot[cause] = NULL;
}

const uint32_t *must_step(struct must *m, op_id op)
{
	const struct op *o = &m->h->ops.at[op];
	uint32_t *clock = begin_step(m, o->thread);
	pay_debts(m, o);
	for (uint32_t i = 0; i < o->causes; i++)
		take_cause(m, o->thread, m->h->causes.at[o->first_cause + i].before);
	follow_sections(m, o->thread);
	for (uint32_t i = 0; i < o->accesses; i++)
		if (m->h->accesses.at[o->first_access + i].reads)
			step_read(m, o, &m->h->accesses.at[o->first_access + i]);
	clock[o->thread] = o->own + 1;
	for (uint32_t i = 0; i < o->accesses; i++) {
		const struct op_access *a = &m->h->accesses.at[o->first_access + i];
		if (!a->writes)
			continue;
		m->written[a->variable] = copy_of(m, m->written[a->variable], clock);
		remember(m, m->h->writers + a->variable, o->thread,
			 (struct must_point){ .own = o->own, .value = a->written });
	}
	if (o->kind == OP_ACQUIRE || o->kind == OP_RELEASE)
		step_lock(m, o, op);
	if (m->effects[op])
		m->snapshot[op] = copy_of(m, NULL, clock);
	m->threads[o->thread].made = o->own + 1;
	if (o->own + 1 == history_length(m->h, o->thread))
		m->ended = o->thread;
	return clock;
}
