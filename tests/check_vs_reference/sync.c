/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronisation objects of the reference, from POSIX, and from glibc where POSIX leaves a
 * choice: EDEADLK for a rwlock that the thread itself writes, EBUSY for a try of an own
 * error-checking mutex.  Of an rwlock that lets writers first
 * (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) nobody gets a share while others read and
 * somebody waits to write; to begin to wait is a step of its own there, and so is to give up.
 *
 * Only condition variables have queues: a lock goes to the next thread that requests it.  A signal wakes
 * any one of those that wait; one wakes by itself only as often as the machine allows it, at any
 * moment of its wait.  A wait with a deadline can end at any moment in which what it waits for is
 * not there.
 */
#include "machine.h"

#include <errno.h>

static uint8_t id(unsigned t)
{
	return (uint8_t)(t + 1);
}

static bool is_read(const struct state *s, unsigned lock)
{
	for (unsigned t = 0; t < THREADS_MAX; t++)
		if (s->readers[lock][t])
			return true;
	return false;
}

/* Somebody waits to write; `for_ever`: without a deadline. */
static bool is_asked_for(const struct machine *m, const struct state *s, unsigned lock,
			 bool for_ever)
{
	for (unsigned t = 0; t < m->prog.threads; t++) {
		if (s->thread[t].state != THREAD_LIVES || s->thread[t].phase != PHASE_ASKS_TO_WRITE)
			continue;
		const struct insn *in = insn_of(m, s, t);
		if (in->obj == lock && (in->op == OP_WRLOCK || !for_ever))
			return true;
	}
	return false;
}

static bool can_read(const struct machine *m, const struct state *s, unsigned lock)
{
	return !s->writer[lock] && !(is_read(s, lock) && is_asked_for(m, s, lock, false));
}

static bool can_write(const struct state *s, unsigned lock)
{
	return !s->writer[lock] && !is_read(s, lock);
}

/* The mutex is free, or its kind gives the owner an answer at once. */
static bool mutex_answers(const struct state *s, unsigned mutex, unsigned t)
{
	return !s->owner[mutex] || (s->owner[mutex] == id(t) && mutex_kind(mutex) != MUTEX_NORMAL);
}

bool sync_is_ready(const struct machine *m, const struct state *s, unsigned t)
{
	const struct insn *in = insn_of(m, s, t);
	const struct tstate *other;
	switch (s->thread[t].phase) {
	case PHASE_QUEUED:
	case PHASE_AT_BARRIER:
		return false;
	case PHASE_WOKEN:
	case PHASE_LATE:
		return !s->owner[in->mutex];
	case PHASE_INTERRUPTED:
		return true;
	}
	switch (in->op) {
	case OP_LOCK:
	case OP_TIMEDLOCK:
		return mutex_answers(s, in->obj, t);
	case OP_RDLOCK:
	case OP_TIMEDRDLOCK:
		return can_read(m, s, in->obj) || s->writer[in->obj] == id(t);
	case OP_WRLOCK:
	case OP_TIMEDWRLOCK:
		if (rwlock_lets_writers_first(in->obj) && s->thread[t].phase == PHASE_BEGIN)
			return true; /* at least to ask */
		return s->writer[in->obj] == id(t) || can_write(s, in->obj);
	case OP_SPINLOCK:
		return !s->spin[in->obj];
	case OP_SEMWAIT:
	case OP_SEMTIMEDWAIT: /* at least to ask, if that can be interrupted */
		return s->sem[in->obj] ||
		       (prog_uses_signals(&m->prog) && s->thread[t].phase == PHASE_BEGIN);
	case OP_SIGWAIT:
	case OP_SUSPEND:
		return signals_is_ready(m, s, t);
	case OP_RECEIVE:
		return s->piped[in->obj];
	case OP_OBTAIN:
		return s->has_value[in->obj];
	case OP_JOIN:
		other = &s->thread[in->obj];
		return other->state == THREAD_ENDED && !other->buffered;
	}
	return true;
}

bool sync_can_time_out(const struct machine *m, const struct state *s, unsigned t)
{
	const struct insn *in = insn_of(m, s, t);
	switch (in->op) {
	case OP_SEMTIMEDWAIT:
		return !s->sem[in->obj] && s->thread[t].phase != PHASE_INTERRUPTED;
	case OP_TIMEDLOCK:
	case OP_TIMEDRDLOCK:
	case OP_TIMEDWRLOCK:
		return !sync_is_ready(m, s, t);
	case OP_TIMEDWAIT:
		return s->thread[t].phase == PHASE_QUEUED;
	}
	return false;
}

bool sync_can_wake_by_itself(const struct machine *m, const struct state *s, unsigned t)
{
	return s->thread[t].phase == PHASE_QUEUED && s->thread[t].spurious < m->spurious;
}

static unsigned bit_of(uint8_t owner)
{
	return owner ? 1u << (owner - 1) : 0;
}

unsigned sync_waits_for(const struct machine *m, const struct state *s, unsigned t)
{
	const struct insn *in = insn_of(m, s, t);
	unsigned whom = 0;
	switch (s->thread[t].phase) {
	case PHASE_WOKEN:
	case PHASE_LATE:
		return bit_of(s->owner[in->mutex]);
	case PHASE_BEGIN:
	case PHASE_ASKS_TO_WRITE:
		break;
	default:
		return 0;
	}
	if (in->prefix == PREFIX_ONCE)
		return s->once[in->times] == ONCE_IS_DONE ? 0 : bit_of(s->once[in->times]);
	switch (in->op) {
	case OP_LOCK:
		return bit_of(s->owner[in->obj]);
	case OP_RDLOCK:
	case OP_WRLOCK:
		whom = bit_of(s->writer[in->obj]);
		/* A reader blocks another reader as long as a writer waits. */
		if (in->op == OP_RDLOCK && !is_asked_for(m, s, in->obj, true))
			return whom;
		for (unsigned r = 0; r < THREADS_MAX; r++)
			whom |= s->readers[in->obj][r] ? 1u << r : 0;
		return whom;
	case OP_SPINLOCK:
		return bit_of(s->spin[in->obj]);
	case OP_JOIN:
		return s->thread[in->obj].state == THREAD_ENDED ? 0 : 1u << in->obj;
	}
	return 0;
}

/* ---- mutexes ---- */

static uint64_t lock_mutex(const struct step *st, unsigned mutex, bool is_try)
{
	struct state *s = st->s;
	enum mutex_kind kind = mutex_kind(mutex);
	bool own = s->owner[mutex] == id(st->t);
	if (own && kind == MUTEX_RECURSIVE) {
		s->depth[mutex]++;
	} else if (own && kind == MUTEX_CHECKING && !is_try) {
		return EDEADLK;
	} else if (s->owner[mutex]) {
		touch(st, OBJ_MUTEX + mutex, USE_READ);
		return EBUSY;
	} else {
		s->owner[mutex] = id(st->t);
		s->depth[mutex] = 1;
	}
	touch(st, OBJ_MUTEX + mutex, USE_CHANGE);
	return 0;
}

static uint64_t unlock_mutex(const struct step *st, unsigned mutex)
{
	struct state *s = st->s;
	if (s->owner[mutex] != id(st->t)) {
		touch(st, OBJ_MUTEX + mutex, USE_READ);
		if (mutex_kind(mutex) == MUTEX_NORMAL)
			end_with(st, END_UNDEFINED);
		return EPERM;
	}
	touch(st, OBJ_MUTEX + mutex, USE_CHANGE);
	if (--s->depth[mutex] == 0)
		s->owner[mutex] = 0;
	return 0;
}

/* ---- read-write and spin locks ---- */

/* Readers are in each other's way only while a writer waits that comes first. */
static enum use use_to_read(const struct step *st, unsigned lock)
{
	return is_asked_for(st->m, st->s, lock, false) ? USE_CHANGE : USE_SHARE;
}

static uint64_t read_lock(const struct step *st, unsigned lock, bool is_try)
{
	struct state *s = st->s;
	if (!can_read(st->m, s, lock)) {
		touch(st, OBJ_RWLOCK + lock, USE_READ);
		return is_try ? EBUSY : EDEADLK;
	}
	touch(st, OBJ_RWLOCK + lock, use_to_read(st, lock));
	s->readers[lock][st->t]++;
	return 0;
}

static uint64_t write_lock(const struct step *st, unsigned lock, bool is_try)
{
	struct state *s = st->s;
	bool asks = !is_try && rwlock_lets_writers_first(lock) && s->writer[lock] != id(st->t);
	if (!can_write(s, lock) && !asks) {
		touch(st, OBJ_RWLOCK + lock, USE_READ);
		return is_try ? EBUSY : EDEADLK;
	}
	touch(st, OBJ_RWLOCK + lock, USE_CHANGE);
	asks = !can_write(s, lock);
	s->thread[st->t].phase = asks ? PHASE_ASKS_TO_WRITE : PHASE_BEGIN;
	if (!asks)
		s->writer[lock] = id(st->t);
	return 0;
}

static uint64_t unlock_rwlock(const struct step *st, unsigned lock)
{
	struct state *s = st->s;
	touch(st, OBJ_RWLOCK + lock, s->writer[lock] ? USE_CHANGE : use_to_read(st, lock));
	if (s->writer[lock] == id(st->t))
		s->writer[lock] = 0;
	else if (s->readers[lock][st->t])
		s->readers[lock][st->t]--;
	else
		end_with(st, END_UNDEFINED);
	return 0;
}

static uint64_t lock_spin(const struct step *st, unsigned lock)
{
	touch(st, OBJ_SPIN + lock, st->s->spin[lock] ? USE_READ : USE_CHANGE);
	if (st->s->spin[lock])
		return EBUSY;
	st->s->spin[lock] = id(st->t);
	return 0;
}

static uint64_t unlock_spin(const struct step *st, unsigned lock)
{
	touch(st, OBJ_SPIN + lock, USE_CHANGE);
	if (st->s->spin[lock] != id(st->t))
		end_with(st, END_UNDEFINED);
	st->s->spin[lock] = 0;
	return 0;
}

/* ---- condition variables ---- */

/* Stands in the queue of this condition variable. */
static bool waits_at(const struct step *st, unsigned t, unsigned cond)
{
	return st->s->thread[t].state == THREAD_LIVES && st->s->thread[t].phase == PHASE_QUEUED &&
	       insn_of(st->m, st->s, t)->obj == cond;
}

static uint64_t wait_at(const struct step *st, const struct insn *in)
{
	struct tstate *ts = &st->s->thread[st->t];
	if (ts->phase != PHASE_BEGIN) {
		uint64_t result = ts->phase == PHASE_LATE ? ETIMEDOUT : 0;
		ts->phase = PHASE_BEGIN;
		lock_mutex(st, in->mutex, false);
		return result;
	}
	if (st->s->owner[in->mutex] != id(st->t) || st->s->depth[in->mutex] != 1)
		end_with(st, END_UNDEFINED);
	touch(st, OBJ_COND + in->obj, USE_CHANGE);
	unlock_mutex(st, in->mutex);
	ts->phase = PHASE_QUEUED;
	return 0;
}

static uint64_t wake(const struct step *st, unsigned cond, bool all, unsigned choice)
{
	touch(st, OBJ_COND + cond, USE_CHANGE);
	for (unsigned t = 0, n = 0; t < st->m->prog.threads; t++)
		if (waits_at(st, t, cond) && (n++ == choice || all))
			st->s->thread[t].phase = PHASE_WOKEN;
	return 0;
}

/* ---- semaphores, barriers, threads ---- */

static uint64_t wait_semaphore(const struct step *st, const struct insn *in)
{
	struct tstate *ts = &st->s->thread[st->t];
	unsigned sem = in->obj;
	if (prog_uses_signals(&st->m->prog) && in->op != OP_SEMTRYWAIT) {
		bool gives_up = ts->phase == PHASE_INTERRUPTED &&
				(ts->gives_up || in->op == OP_SEMTIMEDWAIT);
		ts->phase = st->s->sem[sem] || gives_up ? PHASE_BEGIN : PHASE_AT_SEMAPHORE;
		ts->gives_up = 0;
		if (gives_up) {
			touch(st, OBJ_SEM + sem, USE_READ);
			return EINTR;
		}
	}
	touch(st, OBJ_SEM + sem, st->s->sem[sem] ? USE_CHANGE : USE_READ);
	if (!st->s->sem[sem])
		return EAGAIN;
	st->s->sem[sem]--;
	return 0;
}

/* The last one to arrive lets everybody go on; the others get their result here. */
static uint64_t arrive(const struct step *st, const struct insn *in)
{
	struct state *s = st->s;
	touch(st, OBJ_BARRIER + in->obj, USE_CHANGE);
	if (++s->arrived[in->obj] < st->m->prog.barrier[in->obj]) {
		s->thread[st->t].phase = PHASE_AT_BARRIER;
		return 0;
	}
	s->arrived[in->obj] = 0;
	for (unsigned t = 0; t < st->m->prog.threads; t++) {
		struct tstate *ts = &s->thread[t];
		if (ts->phase != PHASE_AT_BARRIER)
			continue;
		ts->phase = PHASE_BEGIN;
		ts->r[insn_of(st->m, s, t)->reg] = 0;
		ts->pc++;
	}
	return 1;
}

static void send(const struct step *st, unsigned n, uint8_t byte)
{
	touch(st, OBJ_PIPE + n, USE_CHANGE);
	if (st->s->piped[n] == PENDING_MAX)
		end_with(st, END_UNDEFINED);
	else
		st->s->pipe[n][st->s->piped[n]++] = byte;
}

static uint64_t receive(const struct step *st, unsigned n)
{
	uint8_t *pipe = st->s->pipe[n], byte = pipe[0];
	touch(st, OBJ_PIPE + n, USE_CHANGE);
	st->s->piped[n]--;
	for (unsigned i = 0; i + 1 < PENDING_MAX; i++)
		pipe[i] = pipe[i + 1];
	pipe[PENDING_MAX - 1] = 0;
	return byte;
}

/* Only the first value counts. */
static uint64_t fulfil(const struct step *st, const struct insn *in)
{
	struct state *s = st->s;
	const struct value *v = &in->val;
	bool had_value = s->has_value[in->obj];
	touch(st, OBJ_PROMISE + in->obj, had_value ? USE_READ : USE_CHANGE);
	if (!had_value)
		s->promised[in->obj] = v->is_reg ? s->thread[st->t].r[v->number] : v->number;
	s->has_value[in->obj] = 1;
	return had_value;
}

uint64_t sync_perform(const struct step *st, const struct insn *in, unsigned choice)
{
	struct state *s = st->s;
	switch (in->op) {
	case OP_LOCK:
	case OP_TIMEDLOCK:
		return lock_mutex(st, in->obj, false);
	case OP_TRYLOCK:
		return lock_mutex(st, in->obj, true);
	case OP_UNLOCK:
		return unlock_mutex(st, in->obj);
	case OP_RDLOCK:
	case OP_TIMEDRDLOCK:
		return read_lock(st, in->obj, false);
	case OP_TRYRDLOCK:
		return read_lock(st, in->obj, true);
	case OP_WRLOCK:
	case OP_TIMEDWRLOCK:
		return write_lock(st, in->obj, false);
	case OP_TRYWRLOCK:
		return write_lock(st, in->obj, true);
	case OP_RWUNLOCK:
		return unlock_rwlock(st, in->obj);
	case OP_SPINLOCK:
	case OP_SPINTRYLOCK:
		return lock_spin(st, in->obj);
	case OP_SPINUNLOCK:
		return unlock_spin(st, in->obj);
	case OP_WAIT:
	case OP_TIMEDWAIT:
		return wait_at(st, in);
	case OP_SIGNAL:
		return wake(st, in->obj, false, choice);
	case OP_BROADCAST:
		return wake(st, in->obj, true, 0);
	case OP_SEMWAIT:
	case OP_SEMTRYWAIT:
	case OP_SEMTIMEDWAIT:
		return wait_semaphore(st, in);
	case OP_SEMPOST:
		touch(st, OBJ_SEM + in->obj, USE_POST);
		s->sem[in->obj]++;
		for (unsigned t = 0; t < THREADS_MAX; t++) /* each waiter looks again */
			if (s->thread[t].phase == PHASE_AT_SEMAPHORE &&
			    insn_of(st->m, s, t)->obj == in->obj)
				s->thread[t].phase = PHASE_BEGIN;
		return 0;
	case OP_SEND:
		send(st, in->obj, (uint8_t)in->imm);
		return 0;
	case OP_RECEIVE:
		return receive(st, in->obj);
	case OP_FULFIL:
		return fulfil(st, in);
	case OP_OBTAIN:
		touch(st, OBJ_PROMISE + in->obj, USE_READ);
		return s->promised[in->obj];
	case OP_BARRIER:
		return arrive(st, in);
	case OP_CREATE:
		touch(st, OBJ_THREAD, USE_CHANGE); /* creations are numbered */
		s->thread[in->obj].state = THREAD_LIVES;
		s->thread[in->obj].mask = s->thread[st->t].mask;
		return 0;
	case OP_JOIN:
		touch(st, OBJ_THREAD + in->obj, USE_CHANGE);
		return fold_regs(s->thread[in->obj].r);
	}
	return 0;
}

void sync_time_out(const struct step *st, const struct insn *in)
{
	struct tstate *ts = &st->s->thread[st->t];
	if (in->op == OP_TIMEDWAIT) {
		touch(st, OBJ_COND + in->obj, USE_CHANGE);
		ts->phase = PHASE_LATE;
		return;
	}
	bool asked = ts->phase == PHASE_ASKS_TO_WRITE;
	ts->phase = PHASE_BEGIN;
	touch(st,
	      in->op == OP_TIMEDLOCK	  ? OBJ_MUTEX + in->obj
	      : in->op == OP_SEMTIMEDWAIT ? OBJ_SEM + in->obj
					  : OBJ_RWLOCK + in->obj,
	      asked ? USE_CHANGE : USE_READ);
	ts->r[in->reg] = ETIMEDOUT;
	ts->pc++;
}

void sync_wake_by_itself(const struct step *st, const struct insn *in)
{
	struct tstate *ts = &st->s->thread[st->t];
	touch(st, OBJ_COND + in->obj, USE_CHANGE);
	ts->spurious++;
	ts->phase = PHASE_WOKEN;
}
