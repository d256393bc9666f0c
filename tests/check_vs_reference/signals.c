/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals of the reference.  A thread that got a signal which it does not block takes it before
 * it does anything else: a step of its own, after which the handler's instructions are its next
 * steps.  What a thread makes deliverable by itself (by raise, by unblocking, by the end of
 * another handler) it takes in the same step.  A signal that was sent and not yet taken is not
 * sent again.  While its handler runs a signal is blocked.
 *
 * Waits go on after a handler, except for those that POSIX ends: suspend; and a wait for a
 * semaphore, by EINTR, if the signal came before a post and one of the handlers was without
 * SA_RESTART, or the wait has a deadline.
 */
#include "machine.h"

#include <errno.h>

static uint8_t due(const struct tstate *ts)
{
	return (uint8_t)(ts->sent & ~ts->mask);
}

bool signals_are_due(const struct state *s, unsigned t)
{
	return s->thread[t].state == THREAD_LIVES && due(&s->thread[t]);
}

const struct insn *signals_insn(const struct machine *m, const struct state *s, unsigned t)
{
	const struct tstate *ts = &s->thread[t];
	if (!ts->handlers)
		return NULL;
	return &m->prog.handler[ts->handler[ts->handlers - 1]][ts->at[ts->handlers - 1]];
}

void signals_take(const struct step *st)
{
	struct tstate *ts = &st->s->thread[st->t];
	unsigned z = 0;
	if (!due(ts))
		return;
	touch(st, OBJ_SIGNALS + st->t, USE_CHANGE);
	while (!(due(ts) >> z & 1))
		z++;
	unsigned top = ts->handlers++;
	ts->handler[top] = (uint8_t)z;
	ts->at[top] = 0;
	ts->masks[top] = ts->phase == PHASE_SUSPENDED ? ts->mask_before : ts->mask;
	ts->mask |= (uint8_t)(1u << z);
	ts->sent &= (uint8_t) ~(1u << z);
	if (ts->phase == PHASE_INTERRUPTED)
		ts->gives_up |= z == 0;
	if (ts->phase == PHASE_SIGWAITS) /* it looks again afterwards */
		ts->phase = PHASE_BEGIN;
	if (ts->phase == PHASE_SUSPENDED) {
		ts->phase = PHASE_BEGIN;
		ts->mask_before = 0;
		ts->pc++;
	}
}

void signals_end_handlers(const struct step *st)
{
	struct tstate *ts = &st->s->thread[st->t];
	while (ts->handlers &&
	       ts->at[ts->handlers - 1] == st->m->prog.handler_len[ts->handler[ts->handlers - 1]]) {
		unsigned top = --ts->handlers;
		ts->mask = ts->masks[top];
		ts->handler[top] = ts->at[top] = ts->masks[top] = 0;
		signals_take(st);
	}
}

bool signals_is_ready(const struct machine *m, const struct state *s, unsigned t)
{
	const struct tstate *ts = &s->thread[t];
	const struct insn *in = insn_of(m, s, t);
	if (ts->phase == PHASE_SUSPENDED)
		return false;
	return ts->phase != PHASE_SIGWAITS || ts->sent & in->imm;
}

static void send(const struct step *st, unsigned to, unsigned z)
{
	struct tstate *ts = &st->s->thread[to];
	touch(st, OBJ_SIGNALS + to, USE_CHANGE);
	touch(st, OBJ_THREAD + to, USE_CHANGE);
	if (ts->state != THREAD_LIVES)
		return;
	ts->sent |= (uint8_t)(1u << z);
	if (ts->phase == PHASE_AT_SEMAPHORE && !(ts->mask >> z & 1)) {
		touch(st, OBJ_SEM + insn_of(st->m, st->s, to)->obj, USE_CHANGE);
		ts->phase = PHASE_INTERRUPTED;
	}
	if (to == st->t)
		signals_take(st);
}

uint64_t signals_perform(const struct step *st, const struct insn *in)
{
	struct tstate *ts = &st->s->thread[st->t];
	uint8_t set = (uint8_t)in->imm;
	if (in->op != OP_KILL)
		touch(st, OBJ_SIGNALS + st->t, USE_CHANGE);
	switch (in->op) {
	case OP_KILL:
		send(st, in->obj, in->mutex);
		return 0;
	case OP_BLOCK:
		ts->mask |= set;
		return 0;
	case OP_UNBLOCK:
		ts->mask &= (uint8_t)~set;
		signals_take(st);
		return 0;
	case OP_SUSPEND:
		ts->mask_before = ts->mask;
		ts->mask = set;
		ts->phase = PHASE_SUSPENDED;
		signals_take(st);
		return 0;
	case OP_PENDING:
		return ts->sent;
	}
	/* sigwait */
	if (set & ~ts->mask)
		end_with(st, END_UNDEFINED);
	ts->phase = ts->sent & set ? PHASE_BEGIN : PHASE_SIGWAITS;
	for (unsigned z = 0; z < SIGNALS; z++)
		if (ts->sent & set & 1u << z) {
			ts->sent &= (uint8_t) ~(1u << z);
			return z;
		}
	return 0;
}
