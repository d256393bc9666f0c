/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves of the reference: which are possible, and what each does.
 *
 * A thread's move is its next instruction that another thread could notice; what comes after it
 * and concerns no other thread (arithmetic, jumps, allocation, the end of the thread) belongs to
 * the same move.  That loses no outcome: such instructions neither depend on what others do nor
 * change what others can do, except that they let others go on earlier (the end of a thread), and
 * nobody has to.
 *
 * Above 500 lines because all moves share the rule of what belongs to one.
 */
#include "machine.h"

#include <string.h>

const struct insn *insn_of(const struct machine *m, const struct state *s, unsigned t)
{
	return &m->prog.code[t][s->thread[t].pc];
}

void touch(const struct step *st, unsigned object, enum use use)
{
	if (st->f)
		st->f->objects[use][object / 128] |= (unsigned __int128)1 << object % 128;
}

void end_with(const struct step *st, enum ending end)
{
	if (!st->s->end)
		st->s->end = (uint8_t)end;
}

static bool at_end(const struct machine *m, const struct state *s, unsigned t)
{
	return s->thread[t].pc == m->prog.len[t];
}

/* ---- output ---- */

static void put_out(const struct step *st, const char *text, size_t n)
{
	if (st->s->written + n > OUTPUT_MAX) {
		end_with(st, END_UNDEFINED);
		return;
	}
	touch(st, OBJ_OUTPUT, USE_CHANGE);
	memcpy(st->s->output + st->s->written, text, n);
	st->s->written = (uint8_t)(st->s->written + n);
}

static void flush_stream(const struct step *st)
{
	struct state *s = st->s;
	touch(st, OBJ_STREAM, USE_CHANGE);
	if (s->pending)
		put_out(st, (const char *)s->stream, s->pending);
	memset(s->stream, 0, sizeof(s->stream));
	s->pending = 0;
}

/* Into the stream; out of it at once, or at the end of the line, if it is of that kind. */
static void put_in_stream(const struct step *st, const struct insn *in)
{
	struct state *s = st->s;
	bool is_line = in->op == OP_PUTLINE;
	if (s->pending + 2 > PENDING_MAX) {
		end_with(st, END_UNDEFINED);
		return;
	}
	touch(st, OBJ_STREAM, USE_CHANGE);
	s->stream[s->pending++] = (uint8_t)in->imm;
	if (is_line)
		s->stream[s->pending++] = '\n';
	/* Behind its last flush the C library buffers nothing. */
	if (st->m->prog.stdio == STDIO_NONE || (st->m->prog.stdio == STDIO_LINE && is_line) ||
	    s->leaves)
		flush_stream(st);
}

/* ---- what only the thread itself sees ---- */

static uint64_t value_of(const struct tstate *ts, const struct value *v)
{
	return v->is_reg ? ts->r[v->number] : v->number;
}

static bool holds_locks(const struct state *s, unsigned t)
{
	bool holds = false;
	for (unsigned i = 0; i < MUTEXES; i++)
		holds |= s->owner[i] == t + 1;
	for (unsigned i = 0; i < RWLOCKS; i++)
		holds |= s->writer[i] == t + 1 || s->readers[i][t];
	for (unsigned i = 0; i < SPINS; i++)
		holds |= s->spin[i] == t + 1;
	return holds;
}

static void end_thread(const struct step *st)
{
	bool all = true;
	st->s->thread[st->t].state = THREAD_ENDED;
	for (unsigned t = 0; t < THREADS_MAX; t++)
		all &= st->s->thread[t].state != THREAD_LIVES;
	if (holds_locks(st->s, st->t))
		end_with(st, END_UNDEFINED);
	if (all) {
		flush_stream(st);
		end_with(st, END_EXIT);
	}
}

static uint8_t allocate(const struct step *st)
{
	struct tstate *ts = &st->s->thread[st->t];
	if (ts->blocks == BLOCKS) {
		end_with(st, END_UNDEFINED);
		return 0;
	}
	return (uint8_t)(1 + HEAP_BASE + (st->t * BLOCKS + ts->blocks++) * BLOCK_BYTES);
}

/* Whether the instruction was one of those, and is done. */
static bool perform_local(const struct step *st, const struct insn *in)
{
	struct tstate *ts = &st->s->thread[st->t];
	unsigned skip = 0, addr;
	switch (in->op) {
	case OP_ALLOC:
		ts->q[in->preg] = allocate(st);
		break;
	case OP_POINT:
		if (memory_address(st, &in->loc, &addr))
			ts->q[in->preg] = (uint8_t)(1 + addr);
		break;
	case OP_SET:
		ts->r[in->reg] = value_of(ts, &in->val);
		break;
	case OP_SUM:
		ts->r[in->reg] += value_of(ts, &in->val);
		break;
	case OP_IF:
		skip = cond_holds(&in->cond, ts->r[in->cond.reg]) ? 0 : in->skip;
		break;
	case OP_IFPTR:
		skip = ts->q[in->preg] ? 0 : in->skip;
		break;
	case OP_ASSERT:
		if (!cond_holds(&in->cond, ts->r[in->cond.reg]))
			return false;
		break;
	case OP_FENCE:
		if (in->order == ORDER_SC && ts->buffered)
			return false;
		memory_fence(st, in->order);
		break;
	case OP_AGAIN:
		if (!cond_holds(&in->cond, ts->r[in->cond.reg])) {
			ts->pc = (uint8_t)(ts->pc - in->skip);
			return true;
		}
		break;
	case OP_SLEEP:
	case OP_YIELD:
		break;
	default:
		return false;
	}
	ts->pc = (uint8_t)(ts->pc + 1 + skip);
	return true;
}

static void settle(const struct step *st)
{
	struct tstate *ts = &st->s->thread[st->t];
	while (!st->s->end && ts->state == THREAD_LIVES && ts->phase == PHASE_BEGIN) {
		bool off_end = at_end(st->m, st->s, st->t);
		if (off_end && st->t == 0)
			return;
		if (ts->handlers)
			return;
		/* A signal may come before its end. */
		if ((off_end || insn_of(st->m, st->s, st->t)->op == OP_STOP) &&
		    prog_uses_signals(&st->m->prog))
			return;
		if (off_end || insn_of(st->m, st->s, st->t)->op == OP_STOP)
			end_thread(st);
		else if (!perform_local(st, insn_of(st->m, st->s, st->t)))
			return;
	}
}

void machine_start(const struct machine *m, struct state *s)
{
	memset(s, 0, sizeof(*s));
	memcpy(s->sem, m->prog.sem, sizeof(s->sem));
	s->thread[0].state = THREAD_LIVES;
	settle(&(struct step){ m, s, 0, NULL });
}

/* ---- which moves there are ---- */

/* The thread's buffer must be empty before it does this. */
static bool needs_empty_buffer(const struct machine *m, const struct state *s, unsigned t)
{
	const struct insn *in = signals_insn(m, s, t);
	bool x86 = m->model == MODEL_X86;
	if (!in)
		in = insn_of(m, s, t);
	if (in->prefix == PREFIX_ONCE && s->thread[t].phase != PHASE_ONCE_RUNS)
		return !x86;
	switch (in->op) {
	case OP_LOAD:
	case OP_LOADP:
	case OP_CHOOSE:
	case OP_ASSERT:
	case OP_COPY:
	case OP_MOVE:
	case OP_FILL:
	case OP_OBTAIN: /* of a promise that has a value, an acquire load */
	case OP_BLOCK:
	case OP_UNBLOCK:
	case OP_SIGWAIT:
	case OP_SUSPEND:
	case OP_PENDING:
		return false;
	case OP_EXIT: /* flushes streams, which is output */
		return s->thread[t].phase != PHASE_LEAVES && prog_uses_stdio(&m->prog);
	case OP_STORE:
	case OP_STOREP:
		return in->order == ORDER_SC;
	case OP_SPINUNLOCK:
	case OP_SIGNAL:
	case OP_BROADCAST:
	case OP_SEMTRYWAIT:
	case OP_JOIN:
		return !x86;
	case OP_FREE:
		return !x86 && memory_holds_block(s, t, s->thread[t].q[in->preg]);
	}
	return true;
}

static bool is_ready(const struct machine *m, const struct state *s, unsigned t)
{
	const struct insn *in = insn_of(m, s, t);
	if (s->thread[t].buffered && needs_empty_buffer(m, s, t))
		return false;
	if (s->thread[t].handlers)
		return true;
	if (in->prefix == PREFIX_ONCE && s->thread[t].phase == PHASE_BEGIN)
		return !s->once[in->times] || s->once[in->times] == ONCE_IS_DONE;
	return sync_is_ready(m, s, t);
}

static unsigned choices_of(const struct machine *m, const struct state *s, unsigned t)
{
	const struct insn *in = insn_of(m, s, t);
	unsigned n = 0;
	if (in->op == OP_CHOOSE)
		return (unsigned)in->imm;
	if (in->op != OP_SIGNAL)
		return 1;
	for (unsigned w = 0; w < m->prog.threads; w++)
		n += s->thread[w].state == THREAD_LIVES && s->thread[w].phase == PHASE_QUEUED &&
		     insn_of(m, s, w)->obj == in->obj;
	return n ? n : 1;
}

/*
 * Whether threads wait for each other in a cycle, without deadlines.  None of them can ever
 * continue, and the process ends with the request that closes the cycle.  Until then other threads
 * run; the request may never come.
 */
static bool has_cycle(const struct machine *m, const struct state *s)
{
	unsigned waits[THREADS_MAX] = { 0 };
	for (unsigned t = 0; t < m->prog.threads; t++) {
		const struct tstate *ts = &s->thread[t];
		if (ts->state == THREAD_LIVES && !at_end(m, s, t) && !ts->buffered &&
		    !ts->handlers && !signals_are_due(s, t) && !is_ready(m, s, t))
			waits[t] = sync_waits_for(m, s, t);
	}
	for (unsigned round = 0; round < m->prog.threads; round++)
		for (unsigned t = 0; t < m->prog.threads; t++)
			for (unsigned u = 0; u < m->prog.threads; u++)
				if (waits[t] >> u & 1)
					waits[t] |= waits[u];
	for (unsigned t = 0; t < m->prog.threads; t++)
		if (waits[t] >> t & 1)
			return true;
	return false;
}

/* Its next step is to end the process. */
static bool is_at_exit(const struct machine *m, const struct state *s, unsigned t)
{
	return at_end(m, s, t) || insn_of(m, s, t)->op == OP_EXIT;
}

static unsigned thread_moves(const struct machine *m, const struct state *s, unsigned t,
			     struct move *out)
{
	const struct tstate *ts = &s->thread[t];
	unsigned n = 0;
	for (unsigned e = 0; e < ts->buffered; e++)
		if (memory_can_flush(m, s, t, e))
			out[n++] = (struct move){ MOVE_FLUSH, (uint8_t)t, (uint8_t)e };
	if (ts->state != THREAD_LIVES)
		return n;
	if (signals_are_due(s, t)) {
		out[n++] = (struct move){ MOVE_TAKE_SIGNAL, (uint8_t)t, 0 };
		return n;
	}
	if (ts->handlers) {
		if (is_ready(m, s, t))
			out[n++] = (struct move){ MOVE_RUN, (uint8_t)t, 0 };
		return n;
	}
	/* Of programs with signals the end of a thread is a step. */
	bool ends = t && at_end(m, s, t);
	if (ends || (!at_end(m, s, t) && insn_of(m, s, t)->op == OP_STOP)) {
		out[n++] = (struct move){ MOVE_RUN, (uint8_t)t, 0 };
		return n;
	}
	if (is_at_exit(m, s, t) && s->leaves && s->leaves != t + 1)
		return n; /* another thread ends the process already */
	/* As OP_EXIT: see needs_empty_buffer(). */
	if (at_end(m, s, t) && ts->buffered && ts->phase != PHASE_LEAVES &&
	    prog_uses_stdio(&m->prog))
		return n;
	if (at_end(m, s, t) || insn_of(m, s, t)->op == OP_ASSERT) {
		out[n++] = (struct move){ MOVE_RUN, (uint8_t)t, 0 };
		return n;
	}
	if (insn_of(m, s, t)->op == OP_FENCE)
		return n; /* the flush that empties the buffer lets it pass */
	if (is_ready(m, s, t))
		for (unsigned c = 0; c < choices_of(m, s, t); c++)
			out[n++] = (struct move){ MOVE_RUN, (uint8_t)t, (uint8_t)c };
	if ((!ts->buffered || !needs_empty_buffer(m, s, t)) && sync_can_time_out(m, s, t))
		out[n++] = (struct move){ MOVE_TIMEOUT, (uint8_t)t, 0 };
	if (sync_can_wake_by_itself(m, s, t))
		out[n++] = (struct move){ MOVE_SPURIOUS, (uint8_t)t, 0 };
	return n;
}

unsigned machine_moves(const struct machine *m, const struct state *s, struct move out[MOVES_MAX])
{
	unsigned n = 0;
	for (unsigned t = 0; t < m->prog.threads; t++)
		n += thread_moves(m, s, t, &out[n]);
	if (has_cycle(m, s))
		out[n++] = (struct move){ MOVE_CLOSE_CYCLE, 0, 0 };
	return n;
}

bool machine_spins(const struct machine *m, const struct state *s)
{
	struct move moves[MOVES_MAX];
	unsigned n = machine_moves(m, s, moves);
	for (unsigned i = 0; i < n; i++)
		if (moves[i].kind == MOVE_RUN)
			return true;
	return false;
}

/* ---- doing them ---- */

static void print(const struct step *st, const struct insn *in)
{
	char text[OUTPUT_MAX + 32];
	int n = 0;
	for (unsigned r = 0; r < REGS; r++)
		if (in->regs >> r & 1)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%llx", n ? " " : "",
				      (unsigned long long)st->s->thread[st->t].r[r]);
	n += snprintf(text + n, sizeof(text) - (size_t)n, "\n");
	put_out(st, text, (size_t)n);
}

/* Read-modify-write: the old value. */
static uint64_t modify(const struct step *st, const struct insn *in, unsigned addr)
{
	unsigned size = in->loc.size;
	uint64_t old = memory_load(st, addr, size), val = value_of(&st->s->thread[st->t], &in->val);
	if (in->op == OP_ADD)
		val += old;
	if (in->op != OP_CAS || old == in->imm)
		memory_write(st, addr, size, val);
	return old;
}

/* The end of the process.  Others can go on between the flush of the stream and the end, but none
 * ends it too. */
static void leave(const struct step *st, uint8_t status)
{
	struct tstate *ts = &st->s->thread[st->t];
	if (ts->phase != PHASE_LEAVES && prog_uses_stdio(&st->m->prog)) {
		flush_stream(st);
		ts->phase = PHASE_LEAVES;
		st->s->leaves = (uint8_t)(st->t + 1);
		return;
	}
	touch(st, OBJ_OUTPUT, USE_CHANGE);
	st->s->status = status;
	end_with(st, END_EXIT);
}

/* The instruction without its prefix; gives what goes into its register. */
static uint64_t perform(const struct step *st, const struct insn *in, unsigned choice)
{
	struct tstate *ts = &st->s->thread[st->t];
	unsigned addr;
	char letter = (char)in->imm;
	switch (in->op) {
	case OP_LOAD:
		return memory_address(st, &in->loc, &addr) ? memory_load(st, addr, in->loc.size)
							   : 0;
	case OP_STORE:
		if (memory_address(st, &in->loc, &addr))
			memory_store(st, addr, in->loc.size, value_of(ts, &in->val), in->order);
		return 0;
	case OP_ADD:
	case OP_XCHG:
	case OP_CAS:
		return memory_address(st, &in->loc, &addr) ? modify(st, in, addr) : 0;
	case OP_LOADP:
		ts->q[in->preg] = (uint8_t)memory_load(st, PVAR_BASE + in->obj, 1);
		return 0;
	case OP_STOREP:
		memory_store(st, PVAR_BASE + in->obj, 1, ts->q[in->preg], in->order);
		return 0;
	case OP_FREE:
		memory_free(st, ts->q[in->preg]);
		return 0;
	case OP_SAY:
		put_out(st, &letter, 1);
		return 0;
	case OP_PRINT:
		print(st, in);
		return 0;
	case OP_PUT:
	case OP_PUTLINE:
		put_in_stream(st, in);
		return 0;
	case OP_FLUSH:
		flush_stream(st);
		return 0;
	case OP_CHOOSE:
		return choice;
	case OP_EXIT:
		leave(st, (uint8_t)in->imm);
		return 0;
	case OP_COPY:
	case OP_MOVE:
	case OP_FILL:
		copy_perform(st, in);
		return 0;
	case OP_ASSERT:
		touch(st, OBJ_OUTPUT, USE_CHANGE);
		end_with(st, END_ASSERTION);
		return 0;
	}
	if (in->op >= OP_KILL && in->op <= OP_PENDING)
		return signals_perform(st, in);
	return sync_perform(st, in, choice);
}

static void run_handler(const struct step *st)
{
	struct tstate *ts = &st->s->thread[st->t];
	unsigned top = ts->handlers - 1u;
	perform(st, signals_insn(st->m, st->s, st->t), 0);
	ts->at[top]++;
	signals_end_handlers(st);
}

static void run_once(const struct step *st, const struct insn *in)
{
	struct tstate *ts = &st->s->thread[st->t];
	uint8_t *control = &st->s->once[in->times];
	if (ts->phase != PHASE_ONCE_RUNS)
		touch(st, OBJ_ONCE + in->times, *control == ONCE_IS_DONE ? USE_READ : USE_CHANGE);
	switch (ts->phase) {
	case PHASE_ONCE_RUNS:
		perform(st, in, 0);
		ts->phase = PHASE_ONCE_DONE;
		return;
	case PHASE_ONCE_DONE:
		*control = ONCE_IS_DONE;
		break;
	default:
		if (*control != ONCE_IS_DONE) {
			*control = (uint8_t)(st->t + 1);
			ts->phase = PHASE_ONCE_RUNS;
			return;
		}
	}
	ts->phase = PHASE_BEGIN;
	ts->pc++;
}

/* A failed turn of an await leaves no trace in the thread: its next turn overwrites the register
 * anyway. */
static void run(const struct step *st, unsigned choice)
{
	struct tstate *ts = &st->s->thread[st->t];
	if (ts->handlers) {
		run_handler(st);
		return;
	}
	if ((st->t && at_end(st->m, st->s, st->t)) ||
	    (!at_end(st->m, st->s, st->t) && insn_of(st->m, st->s, st->t)->op == OP_STOP)) {
		touch(st, OBJ_SIGNALS + st->t, USE_READ);
		end_thread(st);
		return;
	}
	if (at_end(st->m, st->s, st->t)) {
		leave(st, 0);
		return;
	}
	const struct insn *in = insn_of(st->m, st->s, st->t);
	if (in->prefix == PREFIX_ONCE) {
		run_once(st, in);
		return;
	}
	unsigned pc = ts->pc;
	uint64_t result = perform(st, in, choice);
	if (st->s->end || ts->phase != PHASE_BEGIN || ts->pc != pc)
		return;
	bool done = in->prefix == PREFIX_NONE || cond_holds(&in->cond, result);
	if (in->prefix == PREFIX_RETRY && ++ts->tries == in->times)
		done = true;
	if (strchr(op_operands[in->op], 'r') && (done || in->prefix == PREFIX_RETRY))
		ts->r[in->reg] = result;
	if (done) {
		ts->tries = 0;
		ts->pc++;
	}
}

void machine_apply(const struct machine *m, struct state *s, struct move move, struct footprint *f)
{
	struct step st = { m, s, move.thread, f };
	switch (move.kind) {
	case MOVE_RUN:
		run(&st, move.choice);
		break;
	case MOVE_TAKE_SIGNAL:
		signals_take(&st);
		break;
	case MOVE_TIMEOUT:
		sync_time_out(&st, insn_of(m, s, st.t));
		break;
	case MOVE_SPURIOUS:
		sync_wake_by_itself(&st, insn_of(m, s, st.t));
		break;
	case MOVE_FLUSH:
		memory_flush(&st, move.choice);
		break;
	case MOVE_CLOSE_CYCLE:
		touch(&st, OBJ_OUTPUT, USE_CHANGE);
		end_with(&st, END_DEADLOCK);
		break;
	}
	/* Others too: a thread that was just created, or that left a barrier. */
	for (st.t = 0; st.t < m->prog.threads; st.t++)
		settle(&st);
}
