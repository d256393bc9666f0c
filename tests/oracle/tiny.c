/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making tiny traces, and writing them.  A trace is made event by event: some thread that can go
 * on does something that it can do now.  So every trace could have happened, whatever it has in
 * it.
 */
#include "tiny.h"

#include <stdio.h>

#include "base/err.h"
#include "trace/std.h"

enum state { UNBORN, READY, ASLEEP, WOKEN, OVER };

struct maker {
	struct tiny *t;
	struct sim_random *r;
	uint8_t state[TINY_THREADS];
	uint8_t slept_with[TINY_THREADS]; /* the lock that was given up */
	int16_t woken_by[TINY_THREADS];
	bool has_begun[TINY_THREADS], is_joined[TINY_THREADS];
	uint8_t owner[TINY_LOCKS];	 /* thread plus one */
	int16_t content[TINY_VARIABLES]; /* write, -1: initial */
	uint32_t conditions;		 /* 0 or 1 condition variable */
	uint32_t variables, locks;	 /* that are used */
};

static struct tiny_op *put(struct maker *m, uint32_t thread, enum tiny_kind kind, uint32_t object)
{
	struct tiny_op *o = &m->t->ops[m->t->count++];
	*o = (struct tiny_op){ .kind = (uint8_t)kind,
			       .thread = (uint8_t)thread,
			       .object = (uint8_t)object,
			       .saw = -1 };
	bool is_line = m->t->places != TINY_BY_OPERATION;
	o->place = is_line ? m->t->count : 1 + kind * 8u + object;
	return o;
}

static uint32_t held_by(const struct maker *m, uint32_t thread, uint32_t *locks)
{
	uint32_t n = 0;
	for (uint32_t l = 0; l < TINY_LOCKS; l++)
		if (m->owner[l] == thread + 1)
			locks[n++] = l;
	return n;
}

static void put_access(struct maker *m, uint32_t thread, bool writes)
{
	uint32_t v = sim_random(m->r, m->variables);
	struct tiny_op *o = put(m, thread, writes ? TINY_WRITE : TINY_READ, v);
	if (writes) {
		m->content[v] = (int16_t)(m->t->count - 1);
		o->value = m->t->has_values ? (uint8_t)sim_random(m->r, 2) : (uint8_t)m->t->count;
		return;
	}
	o->saw = m->content[v];
	o->value = o->saw < 0 ? 0 : m->t->ops[o->saw].value;
}

static void put_lock(struct maker *m, uint32_t thread)
{
	uint32_t locks[TINY_LOCKS], n = held_by(m, thread, locks), l = sim_random(m->r, m->locks);
	if (n && sim_random(m->r, 5) < 2 + n) {
		l = locks[sim_random(m->r, n)];
		put(m, thread, TINY_RELEASE, l);
		m->owner[l] = 0;
	} else if (!m->owner[l]) {
		put(m, thread, TINY_ACQUIRE, l);
		m->owner[l] = (uint8_t)(thread + 1);
	}
}

static void put_thread(struct maker *m, uint32_t thread)
{
	for (uint32_t other = 1; other < m->t->threads; other++) {
		if (m->state[other] == UNBORN) {
			put(m, thread, TINY_FORK, other);
			m->state[other] = READY;
			return;
		}
		if (other != thread && m->state[other] == OVER && !m->is_joined[other]) {
			put(m, thread, TINY_JOIN, other);
			m->is_joined[other] = true;
			return;
		}
	}
}

static void put_condition(struct maker *m, uint32_t thread)
{
	uint32_t locks[TINY_LOCKS], n = held_by(m, thread, locks);
	if (n == 1 && sim_random(m->r, 2)) {
		put(m, thread, TINY_WAIT, 0);
		put(m, thread, TINY_RELEASE, locks[0]);
		m->owner[locks[0]] = 0;
		m->slept_with[thread] = (uint8_t)locks[0];
		m->state[thread] = ASLEEP;
		return;
	}
	bool is_all = sim_random(m->r, 3) == 0;
	struct tiny_op *o = put(m, thread, is_all ? TINY_BROADCAST : TINY_SIGNAL, 0);
	for (uint32_t other = 0; other < m->t->threads; other++) {
		if (m->state[other] != ASLEEP)
			continue;
		m->state[other] = WOKEN;
		m->woken_by[other] = (int16_t)(m->t->count - 1);
		if (is_all)
			continue;
		o->woken = (uint8_t)(other + 1);
		return;
	}
}

/* One or two events of a thread that can go on. */
static void step(struct maker *m, uint32_t thread)
{
	if (m->state[thread] == WOKEN) {
		if (m->owner[m->slept_with[thread]])
			return;
		put(m, thread, TINY_WAKE, 0)->saw = m->woken_by[thread];
		put(m, thread, TINY_ACQUIRE, m->slept_with[thread]);
		m->owner[m->slept_with[thread]] = (uint8_t)(thread + 1);
		m->state[thread] = READY;
		return;
	}
	if (!m->has_begun[thread]) {
		m->has_begun[thread] = true;
		if (m->t->has_begins && thread) {
			put(m, thread, TINY_BEGIN, 0);
			return;
		}
	}
	uint32_t what = sim_random(m->r, 20), locks[TINY_LOCKS];
	if (what < 8) {
		put_access(m, thread, what < 4);
	} else if (what < 15) {
		put_lock(m, thread);
	} else if (what < 17) {
		put_thread(m, thread);
	} else if (what == 17 && m->t->has_branches) {
		put(m, thread, TINY_BRANCH, 0);
	} else if (what == 18 && thread && !held_by(m, thread, locks)) {
		if (m->t->has_begins && sim_random(m->r, 2))
			put(m, thread, TINY_END, 0);
		m->state[thread] = OVER;
	} else if (m->conditions) {
		put_condition(m, thread);
	}
}

void tiny_generate(struct tiny *t, struct sim_random *r, uint32_t size)
{
	struct maker m = { .t = t, .r = r };
	memset(t, 0, sizeof(*t));
	t->threads = 2 + sim_random(r, TINY_THREADS - 1);
	t->has_conditions = sim_random(r, 3) == 0;
	m.conditions = t->has_conditions;
	t->has_values = t->has_conditions && sim_random(r, 2);
	t->has_branches = !t->has_conditions && sim_random(r, 4) == 0;
	t->has_begins = sim_random(r, 3) == 0;
	t->has_names = !t->has_conditions && sim_random(r, 2);
	t->places = (enum tiny_places)sim_random(r, t->has_conditions ? 2 : TINY_PLACES);
	m.variables = TINY_VARIABLES;
	m.locks = TINY_LOCKS;
	/* Much of the same: two threads, many instances of few places. */
	if (sim_random(r, 3) == 0) {
		t->threads = 2;
		t->places = TINY_BY_OPERATION;
		t->has_branches = false;
		m.variables = 1 + sim_random(r, 2);
		m.locks = 1 + sim_random(r, TINY_LOCKS);
		size += 12;
	}
	if (size > TINY_OPS - 2)
		size = TINY_OPS - 2;
	for (uint32_t i = 0; i < TINY_VARIABLES; i++)
		m.content[i] = -1;
	/* Some threads are created, and some were always there. */
	for (uint32_t i = 0; i < t->threads; i++)
		m.state[i] = i && sim_random(r, 3) ? UNBORN : READY;
	for (uint32_t tries = 0; t->count < size && tries < 40 * size; tries++) {
		uint32_t thread = sim_random(r, t->threads);
		if (m.state[thread] == READY || m.state[thread] == WOKEN)
			step(&m, thread);
	}
}

/* ---- STD ---- */

static void put_thread_name(const struct tiny *t, uint32_t thread, struct buf *out)
{
	static const char *const names[TINY_THREADS] = { "main", "worker-1", "T01", "T3" };
	if (t->has_names)
		buf_str(out, names[thread]);
	else
		buf_printf(out, "T%u", thread);
}

static void put_object(const struct tiny *t, const struct tiny_op *o, struct buf *out)
{
	static const char *const variables[TINY_VARIABLES] = { "x", "V7", "a.b[3]" };
	static const char *const locks[TINY_LOCKS] = { "x", "L0", "mutex" };
	bool is_lock = o->kind == TINY_ACQUIRE || o->kind == TINY_RELEASE;
	if (o->kind == TINY_FORK || o->kind == TINY_JOIN)
		put_thread_name(t, o->object, out);
	else if (t->has_names)
		buf_str(out, (is_lock ? locks : variables)[o->object]);
	else
		buf_printf(out, "%c%u", is_lock ? 'L' : 'V', o->object);
}

void tiny_std(const struct tiny *t, struct buf *out)
{
	static const char *const words[] = {
		[TINY_READ] = "r",	[TINY_WRITE] = "w",   [TINY_ACQUIRE] = "acq",
		[TINY_RELEASE] = "rel", [TINY_FORK] = "fork", [TINY_JOIN] = "join",
		[TINY_BEGIN] = "begin", [TINY_END] = "end",   [TINY_BRANCH] = "br"
	};
	for (uint32_t i = 0; i < t->count; i++) {
		const struct tiny_op *o = &t->ops[i];
		put_thread_name(t, o->thread, out);
		buf_printf(out, "|%s", words[o->kind]);
		if (o->kind < TINY_BEGIN) {
			buf_char(out, '(');
			put_object(t, o, out);
			buf_char(out, ')');
		}
		buf_char(out, '|');
		if (t->places == TINY_ALL_EQUAL)
			buf_str(out, "0");
		else if (t->places != TINY_MISSING)
			buf_printf(out, "%u", o->place);
		buf_char(out, '\n');
	}
}

/* ---- events ---- */

static struct event event_of(const struct tiny_op *o)
{
	static const uint8_t kinds[] = {
		[TINY_READ] = EV_READ,		[TINY_WRITE] = EV_WRITE,
		[TINY_ACQUIRE] = EV_ACQUIRE,	[TINY_RELEASE] = EV_RELEASE,
		[TINY_FORK] = EV_FORK,		[TINY_JOIN] = EV_JOIN,
		[TINY_BEGIN] = EV_BEGIN,	[TINY_END] = EV_END,
		[TINY_BRANCH] = EV_BRANCH,	[TINY_WAIT] = EV_WAIT,
		[TINY_WAKE] = EV_WAKE,		[TINY_SIGNAL] = EV_SIGNAL,
		[TINY_BROADCAST] = EV_BROADCAST
	};
	struct event e = { .kind = kinds[o->kind], .thread = o->thread, .loc = o->place };
	switch (o->kind) {
	case TINY_READ:
	case TINY_WRITE:
		e.obj = 0x1000 + 8ull * o->object;
		e.size = 8;
		e.a = o->value;
		break;
	case TINY_ACQUIRE:
	case TINY_RELEASE:
		e.obj = 0x2000 + 64ull * o->object;
		e.mode = SYNC_MUTEX;
		e.a = o->kind == TINY_ACQUIRE;
		break;
	case TINY_FORK:
	case TINY_JOIN:
		e.a = o->object;
		break;
	case TINY_BEGIN:
		e.a = THR_NONE;
		break;
	case TINY_WAIT:
	case TINY_WAKE:
	case TINY_SIGNAL:
	case TINY_BROADCAST:
		e.obj = 0x3000;
		e.mode = SYNC_COND;
		e.a = o->kind == TINY_SIGNAL ? o->woken : 0;
		break;
	}
	return e;
}

/* Threads that are created always begin in traces of our own. */
static bool needs_begin(const struct tiny *t, uint32_t op)
{
	bool is_created = false;
	for (uint32_t i = 0; i < op; i++) {
		if (t->ops[i].thread == t->ops[op].thread)
			return false;
		is_created |= t->ops[i].kind == TINY_FORK && t->ops[i].object == t->ops[op].thread;
	}
	return is_created && t->ops[op].kind != TINY_BEGIN;
}

/* And they end before they are joined. */
static bool needs_end(const struct tiny *t, uint32_t join)
{
	uint32_t joined = t->ops[join].object;
	for (uint32_t i = 0; i < join; i++)
		if (t->ops[i].thread == joined && t->ops[i].kind == TINY_END)
			return false;
	return true;
}

int tiny_write(const struct tiny *t, struct trace_writer *w, struct err *err)
{
	char name[16], none[] = "";
	uint32_t places = 0;
	int rc = 0;
	for (uint32_t i = 0; i < t->count; i++)
		places = t->ops[i].place > places ? t->ops[i].place : places;
	for (uint32_t i = 1; i <= places && !rc; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		rc = trace_writer_location(w, &(struct location){ .function = name, .file = none },
					   err);
	}
	for (uint32_t i = 0; i < t->count && !rc; i++) {
		struct event e = event_of(&t->ops[i]);
		struct event end = { .kind = EV_END, .thread = t->ops[i].object };
		struct event begin = { .kind = EV_BEGIN, .thread = e.thread, .a = THR_NONE };
		if (needs_begin(t, i))
			rc = trace_writer_event(w, &begin, err);
		if (!rc && t->ops[i].kind == TINY_JOIN && needs_end(t, i))
			rc = trace_writer_event(w, &end, err);
		if (!rc)
			rc = trace_writer_event(w, &e, err);
	}
	if (!rc)
		return trace_writer_close(w, err);
	trace_writer_abandon(w);
	return rc;
}
