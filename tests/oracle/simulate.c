/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine.  One step of a thread is one operation, or nothing if the thread is blocked.  The
 * same step function serves the first run, in which it also tells what the history is to contain,
 * and the replay.
 */
#include "simulate.h"

#include "base/hash.h"
#include "generate.h"

uint32_t sim_random(struct sim_random *r, uint32_t below)
{
	r->state = hash_mix(r->state, 0x5eed);
	return (uint32_t)((r->state >> 33) % below);
}

struct machine {
	const struct sim_program *p;
	struct sim_random *r;
	struct sim_run *out; /* NULL: a replay */
	struct {
		uint32_t pc, reg;
		bool is_started, waits, is_woken, is_over, was_last;
		op_id wait_op, woken_by, last_op, fork_op;
		uint32_t round;
	} thread[SIM_THREADS];
	uint32_t value[SIM_VARIABLES];
	op_id writer[SIM_VARIABLES];
	struct {
		uint32_t holders;
		bool is_alone;
		op_id acquire[SIM_THREADS];
	} lock[SIM_LOCKS];
	uint32_t tokens, round, arrived;
	VEC(op_id) posts, ins, accesses[SIM_VARIABLES];
	uint32_t waits_done, initial_tokens;
	uint32_t once; /* 0 not begun, 1 running, 2 done */
	op_id once_end;
};

/* ---- telling the history ---- */

static op_id tell(struct machine *m, uint32_t t, enum op_kind kind)
{
	return m->out ? history_add(&m->out->history, t, kind) : OP_NONE;
}

static void cause(struct machine *m, op_id before, op_id after)
{
	if (m->out && before != OP_NONE)
		history_add_cause(&m->out->history, before, after);
}

static void order(struct machine *m, op_id before, op_id after)
{
	if (m->out && before != OP_NONE && after != OP_NONE)
		history_add_order(&m->out->history, before, after);
}

static void access(struct machine *m, op_id op, uint32_t x, bool reads, bool writes,
		   uint32_t written)
{
	if (m->out) {
		struct op_access *a = history_add_access(&m->out->history, x, reads, writes);
		a->seen = reads ? m->writer[x] : OP_NONE;
		a->value = m->value[x];
		a->written = written;
		vec_push(&m->accesses[x], op);
	}
	if (writes) {
		m->value[x] = written;
		m->writer[x] = op;
	}
}

/* ---- groups of instructions; each returns whether the thread could do it ---- */

static bool do_access(struct machine *m, uint32_t t, const struct sim_instruction *i)
{
	op_id op = tell(m, t, OP_ACCESS);
	uint32_t x = i->object, old = m->value[x], reg = m->thread[t].reg;
	switch (i->code) {
	case SIM_READ:
		access(m, op, x, true, false, 0);
		reg = old;
		break;
	case SIM_READ_TWO: {
		uint32_t y = (x + 1) % SIM_VARIABLES;
		reg = old + m->value[y];
		access(m, op, x, true, false, 0);
		access(m, op, y, true, false, 0);
		break;
	}
	case SIM_WRITE:
		access(m, op, x, false, true, i->value);
		break;
	case SIM_WRITE_REGISTER:
		access(m, op, x, false, true, (reg + 1) % 3);
		break;
	case SIM_ADD:
		access(m, op, x, true, true, (old + 1) % 3);
		reg = old;
		break;
	}
	m->thread[t].reg = reg;
	return true;
}

static bool do_lock(struct machine *m, uint32_t t, const struct sim_instruction *i, uint32_t *skip)
{
	uint32_t l = i->object;
	bool is_shared = i->code == SIM_ACQUIRE_SHARED,
	     is_busy = m->lock[l].holders && (m->lock[l].is_alone || !is_shared);
	if (i->code == SIM_RELEASE) {
		if (m->out)
			history_add_lock(&m->out->history, t, l, false, false);
		m->lock[l].holders--;
		m->lock[l].acquire[t] = OP_NONE;
		return true;
	}
	if (i->code == SIM_TRY && is_busy) {
		op_id op = tell(m, t, OP_OTHER);
		for (uint32_t u = 0; u < m->p->threads && m->out; u++)
			if (m->lock[l].acquire[u] != OP_NONE) {
				cause(m, m->lock[l].acquire[u], op);
				/* The release is not known yet; sim_run adds the order. */
				break;
			}
		*skip = i->value;
		return true;
	}
	if (is_busy)
		return false;
	m->lock[l].holders++;
	m->lock[l].is_alone = !is_shared;
	if (m->out)
		m->lock[l].acquire[t] = history_add_lock(&m->out->history, t, l, is_shared, true);
	return true;
}

static bool do_semaphore(struct machine *m, uint32_t t, const struct sim_instruction *i)
{
	if (i->code == SIM_SEM_WAIT && !m->tokens)
		return false;
	op_id op = tell(m, t, OP_OTHER);
	if (i->code == SIM_POST) {
		m->tokens++;
		vec_push(&m->posts, op);
		return true;
	}
	m->tokens--;
	if (m->waits_done >= m->initial_tokens && m->out)
		cause(m, m->posts.at[m->waits_done - m->initial_tokens], op);
	m->waits_done++;
	return true;
}

static void wake(struct machine *m, uint32_t u, op_id by)
{
	m->thread[u].waits = false;
	m->thread[u].is_woken = true;
	m->thread[u].woken_by = by;
	order(m, m->thread[u].wait_op, by);
}

/* Whom a signal wakes: in a replay the same thread as before, if it waits. */
static uint32_t choose_waiter(struct machine *m, uint32_t wanted)
{
	uint32_t waiting[SIM_THREADS], n = 0;
	for (uint32_t u = 0; u < m->p->threads; u++) {
		if (!m->thread[u].waits)
			continue;
		if (wanted == u + 1)
			return u;
		waiting[n++] = u;
	}
	return n ? waiting[sim_random(m->r, n)] : SIM_THREADS;
}

static bool do_condition(struct machine *m, uint32_t t, const struct sim_instruction *i,
			 uint32_t wanted)
{
	if (i->code == SIM_WAKE && !m->thread[t].is_woken)
		return false;
	op_id op = tell(m, t, OP_OTHER);
	uint32_t u;
	switch (i->code) {
	case SIM_WAIT:
		m->thread[t].waits = true;
		m->thread[t].wait_op = op;
		break;
	case SIM_WAKE:
		cause(m, m->thread[t].woken_by, op);
		m->thread[t].is_woken = false;
		break;
	case SIM_SIGNAL:
		u = choose_waiter(m, wanted);
		if (u < SIM_THREADS)
			wake(m, u, op);
		if (m->out && u < SIM_THREADS)
			m->out->woke[op] = (uint8_t)(u + 1);
		break;
	case SIM_BROADCAST:
		for (u = 0; u < m->p->threads; u++)
			if (m->thread[u].waits)
				wake(m, u, op);
		break;
	}
	return true;
}

static bool do_barrier(struct machine *m, uint32_t t, const struct sim_instruction *i)
{
	if (i->code == SIM_LEAVE && m->round <= m->thread[t].round)
		return false;
	op_id op = tell(m, t, OP_OTHER);
	uint32_t n = m->p->barrier_count;
	if (i->code == SIM_ARRIVE) {
		m->thread[t].round = m->round;
		m->arrived++;
		vec_push(&m->ins, op);
		bool is_last = m->arrived % n == 0;
		m->thread[t].was_last = is_last;
		/* Rounds stay as they were, and the last one to arrive stays the last. */
		for (size_t k = 0; k + 1 < m->ins.len && m->out; k++)
			if (is_last ? k / n == (m->ins.len - 1) / n
				    : k / n + 1 == (m->ins.len - 1) / n)
				cause(m, m->ins.at[k], op);
		for (size_t k = 0; k + 1 < m->ins.len && m->out && is_last; k++)
			if (k / n + 1 == (m->ins.len - 1) / n)
				cause(m, m->ins.at[k], op);
		m->round += is_last;
		return true;
	}
	m->thread[t].reg = m->thread[t].was_last;
	for (size_t k = 0; k < m->ins.len && m->out; k++)
		if (k / n == m->thread[t].round)
			cause(m, m->ins.at[k], op);
	return true;
}

static bool do_thread(struct machine *m, uint32_t t, const struct sim_instruction *i)
{
	uint32_t u = i->object;
	if (i->code == SIM_JOIN && !m->thread[u].is_over)
		return false;
	op_id op = tell(m, t, OP_OTHER);
	if (i->code == SIM_FORK) {
		m->thread[u].is_started = true;
		m->thread[u].fork_op = op;
	} else if (i->code == SIM_BEGIN) {
		cause(m, m->thread[t].fork_op, op);
	} else if (i->code == SIM_JOIN) {
		cause(m, m->thread[u].last_op, op);
	}
	return true;
}

static bool do_other(struct machine *m, uint32_t t, const struct sim_instruction *i, uint32_t *skip)
{
	if (i->code == SIM_ONCE && m->once == 1)
		return false;
	op_id op = tell(m, t, OP_OTHER);
	switch (i->code) {
	case SIM_BRANCH:
		*skip = m->thread[t].reg % 2 ? i->value : 0;
		break;
	case SIM_ONCE:
		*skip = m->once == 2 ? i->value : 0;
		if (m->once == 2)
			cause(m, m->once_end, op);
		else
			m->once = 1;
		break;
	case SIM_ONCE_END:
		m->once = 2;
		m->once_end = op;
		break;
	case SIM_FREE:
		for (size_t k = 0; k < m->accesses[i->object].len; k++)
			order(m, m->accesses[i->object].at[k], op);
		break;
	}
	return true;
}

/* One operation of a thread; false if it is blocked or at its end. */
static bool step(struct machine *m, uint32_t t, uint32_t wanted, struct sim_did *did)
{
	if (!m->thread[t].is_started || m->thread[t].pc >= m->p->thread[t].length)
		return false;
	const struct sim_instruction *i = &m->p->thread[t].code[m->thread[t].pc];
	uint32_t skip = 0;
	bool done;
	switch (i->code) {
	case SIM_READ:
	case SIM_READ_TWO:
	case SIM_WRITE:
	case SIM_WRITE_REGISTER:
	case SIM_ADD:
		done = do_access(m, t, i);
		break;
	case SIM_ACQUIRE:
	case SIM_ACQUIRE_SHARED:
	case SIM_RELEASE:
	case SIM_TRY:
		done = do_lock(m, t, i, &skip);
		break;
	case SIM_POST:
	case SIM_SEM_WAIT:
		done = do_semaphore(m, t, i);
		break;
	case SIM_WAIT:
	case SIM_WAKE:
	case SIM_SIGNAL:
	case SIM_BROADCAST:
		done = do_condition(m, t, i, wanted);
		break;
	case SIM_ARRIVE:
	case SIM_LEAVE:
		done = do_barrier(m, t, i);
		break;
	case SIM_FORK:
	case SIM_BEGIN:
	case SIM_JOIN:
		done = do_thread(m, t, i);
		break;
	default:
		done = do_other(m, t, i, &skip);
	}
	if (!done)
		return false;
	*did = (struct sim_did){ i->code, i->object, (uint8_t)skip };
	m->thread[t].pc += 1 + skip;
	m->thread[t].is_over = m->thread[t].pc >= m->p->thread[t].length;
	if (m->out)
		m->thread[t].last_op = (op_id)m->out->history.ops.len - 1;
	return true;
}

static void machine_init(struct machine *m, const struct sim_program *p, struct sim_random *r)
{
	*m = (struct machine){
		.p = p, .r = r, .tokens = p->sem_value, .initial_tokens = p->sem_value
	};
	for (uint32_t t = 0; t < p->threads; t++) {
		m->thread[t].is_started = !p->thread[t].is_forked;
		m->thread[t].wait_op = m->thread[t].fork_op = m->thread[t].last_op = OP_NONE;
		m->thread[t].is_over = !p->thread[t].length;
	}
	for (uint32_t l = 0; l < SIM_LOCKS; l++)
		for (uint32_t t = 0; t < SIM_THREADS; t++)
			m->lock[l].acquire[t] = OP_NONE;
	for (uint32_t x = 0; x < SIM_VARIABLES; x++)
		m->writer[x] = OP_NONE;
}

static void machine_release(struct machine *m)
{
	vec_release(&m->posts);
	vec_release(&m->ins);
	for (uint32_t x = 0; x < SIM_VARIABLES; x++)
		vec_release(&m->accesses[x]);
}

/* A try that failed comes before the release of whom it found. */
static void order_failed_tries(struct sim_run *out)
{
	struct history *h = &out->history;
	for (size_t i = 0; i < h->causes.len; i++) {
		const struct op_order *c = &h->causes.at[i];
		if (out->did[c->after].code == SIM_TRY && h->ops.at[c->after].kind == OP_OTHER &&
		    h->ops.at[c->before].match != OP_NONE)
			history_add_order(h, c->after, h->ops.at[c->before].match);
	}
}

static void set_guards(struct sim_run *out, bool with_branches)
{
	struct history *h = &out->history;
	for (op_id id = 0; id < h->ops.len; id++) {
		struct op *o = &h->ops.at[id];
		if (out->did[id].code == SIM_ADD)
			o->guard = o->own;
		else if (!with_branches)
			o->guard = o->own + 1;
		for (op_id next = id + 1;
		     with_branches && o->guard == GUARD_NEVER && next < h->ops.len; next++)
			if (h->ops.at[next].thread == o->thread &&
			    out->did[next].code == SIM_BRANCH)
				o->guard = h->ops.at[next].own;
	}
}

void sim_run(const struct sim_program *p, struct sim_random *r, bool with_branches, size_t most,
	     struct sim_run *out)
{
	struct machine m;
	memset(out, 0, sizeof(*out));
	machine_init(&m, p, r);
	m.out = out;
	uint32_t stuck = 0, t = 0;
	while (out->history.ops.len < most && stuck < 8 * SIM_THREADS) {
		/* Threads run for a while, as they do. */
		if (sim_random(r, 3) == 0)
			t = sim_random(r, p->threads);
		struct sim_did did;
		if (!step(&m, t, 0, &did)) {
			stuck++;
			t = sim_random(r, p->threads);
			continue;
		}
		stuck = 0;
		out->did[out->history.ops.len - 1] = did;
	}
	out->history.threads = p->threads;
	out->history.variables = SIM_VARIABLES;
	out->history.locks = SIM_LOCKS;
	out->history.has_values = true;
	order_failed_tries(out);
	history_finish(&out->history);
	set_guards(out, with_branches);
	machine_release(&m);
}

const char *sim_replay(const struct sim_program *p, struct sim_random *r, const struct sim_run *run,
		       const op_id *witness, size_t count)
{
	struct machine m;
	const char *flaw = NULL;
	machine_init(&m, p, r);
	for (size_t i = 0; i < count && !flaw; i++) {
		struct sim_did did;
		const struct sim_did *want = &run->did[witness[i]];
		if (!step(&m, run->history.ops.at[witness[i]].thread, run->woke[witness[i]], &did))
			flaw = "a thread is blocked";
		/* The last operation of a thread may be a read of something else, which it shows
		 * later. */
		else if (did.code != want->code || did.object != want->object ||
			 did.skipped != want->skipped)
			flaw = "a thread does something else";
	}
	machine_release(&m);
	return flaw;
}
