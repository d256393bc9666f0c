/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter; see sim.h.
 *
 * Above 500 lines because it is one machine: a step of each instruction.
 */
#include "explore_vs_dfs/sim.h"

#include <string.h>

#include "base/hash.h"

enum {
	ADDRESS_VARIABLE = 0x1000,
	ADDRESS_LOCK = 0x2000,
	ADDRESS_RWLOCK = 0x3000,
	ADDRESS_SEMAPHORE = 0x4000,
	ADDRESS_COND = 0x5000,
	ADDRESS_BARRIER = 0x6000
};
enum { STAGE_FRESH, STAGE_WAITS, STAGE_MUTEX };

static uint64_t address(unsigned base, unsigned number)
{
	return base + 64 * number;
}

static struct wire_op *tell(struct sim_list *l, unsigned kind, uint64_t object, uint64_t value,
			    unsigned mode)
{
	struct wire_op *op = &l->ops[l->count++];
	*op = (struct wire_op){
		.kind = (uint8_t)kind, .object = object, .value = value, .mode = (uint8_t)mode
	};
	return op;
}

static void tell_access(struct sim_list *l, unsigned kind, unsigned variable, uint64_t value,
			unsigned flags)
{
	struct wire_op *op = tell(l, kind, address(ADDRESS_VARIABLE, variable), value,
				  kind == EV_RMW || variable == 0 ? MODE_SEQ_CST : MODE_PLAIN);
	op->size = 4;
	op->flags = (uint16_t)flags;
}

static void tell_blocked(struct sim_list *l, uint64_t object, unsigned mode, bool is_timed)
{
	tell(l, OP_BLOCKED, object, 0, mode)->flags = is_timed ? OPF_TIMED : 0;
	l->is_blocked = true;
}

void sim_start(const struct sim_program *p, struct sim_state *s)
{
	memset(s, 0, sizeof(*s));
	s->is_there[0] = 1;
	s->semaphore = (uint8_t)p->semaphore;
}

bool sim_is_live(const struct sim_state *s, int t)
{
	return s->is_there[t] && !s->has_ended[t] && s->end == SIM_RUNS;
}

static const struct instruction *next_of(const struct sim_program *p, const struct sim_state *s,
					 int t)
{
	return &p->code[t][s->pc[t]];
}

/* The end of a thread is an instruction behind its last one. */
static bool is_at_end(const struct sim_program *p, const struct sim_state *s, int t)
{
	return s->pc[t] >= p->length[t];
}

bool sim_would_exit(const struct sim_program *p, const struct sim_state *s, int t)
{
	return is_at_end(p, s, t) ? t == 0 : next_of(p, s, t)->kind == DO_EXIT;
}

static bool has_readers(const struct sim_state *s)
{
	for (int i = 0; i < THREADS_MAX; i++)
		if (s->readers[i])
			return true;
	return false;
}

bool sim_can_go(const struct sim_program *p, const struct sim_state *s, int t, bool *is_late)
{
	*is_late = false;
	if (!sim_is_live(s, t))
		return false;
	if (is_at_end(p, s, t))
		return true;
	const struct instruction *i = next_of(p, s, t);
	switch (i->kind) {
	case DO_LOCK:
		return !s->holder[i->a];
	case DO_TIMED_LOCK:
		return !(*is_late = s->holder[i->a] != 0) || true;
	case DO_READ_LOCK:
		return !s->writer;
	case DO_WRITE_LOCK:
		return !s->writer && !has_readers(s);
	case DO_SEM_WAIT:
		return s->semaphore > 0;
	case DO_SEM_TIMED:
		return !(*is_late = !s->semaphore) || true;
	case DO_WAIT:
		return s->stage[t] == STAGE_FRESH || (s->is_woken[t] && !s->holder[i->b]);
	case DO_TIMED_WAIT:
		if (s->stage[t] == STAGE_WAITS && !s->is_woken[t])
			return *is_late = true;
		return s->stage[t] == STAGE_FRESH || !s->holder[i->b];
	case DO_BARRIER:
		return s->stage[t] == STAGE_FRESH || s->is_woken[t];
	case DO_JOIN:
		return s->has_ended[i->a];
	case DO_AWAIT:
		return s->stage[t] == STAGE_FRESH || s->variable[i->a] != i->b;
	default:
		return true;
	}
}

bool sim_wakes(const struct sim_program *p, const struct sim_state *s, int t)
{
	if (is_at_end(p, s, t) || s->stage[t] != STAGE_WAITS || !s->is_woken[t])
		return false;
	unsigned kind = next_of(p, s, t)->kind;
	return kind == DO_WAIT || kind == DO_TIMED_WAIT;
}

int sim_choices(const struct sim_program *p, const struct sim_state *s, int t)
{
	if (is_at_end(p, s, t))
		return 1;
	const struct instruction *i = next_of(p, s, t);
	if (i->kind == DO_CHOOSE)
		return i->b;
	return i->kind == DO_SIGNAL && s->queued[i->a] ? s->queued[i->a] : 1;
}

static void forward(struct sim_state *s, int t, int instructions)
{
	s->pc[t] = (uint8_t)(s->pc[t] + instructions);
	s->stage[t] = STAGE_FRESH;
	s->is_woken[t] = 0;
}

static void remember(struct sim_state *s, int t, unsigned value)
{
	s->reg[t] = (uint8_t)((s->reg[t] * 3 + value + 1) % 16);
}

static void leave_queue(struct sim_state *s, int cond, int position)
{
	s->queued[cond]--;
	for (int i = position; i < s->queued[cond]; i++)
		s->queue[cond][i] = s->queue[cond][i + 1];
	s->queue[cond][s->queued[cond]] = 0;
}

static void access_variable(struct sim_state *s, int t, const struct instruction *i,
			    struct sim_list *l)
{
	uint8_t *v = &s->variable[i->a];
	switch (i->kind) {
	case DO_READ:
		tell_access(l, EV_READ, i->a, *v, 0);
		if (i->b != READ_UNUSED)
			remember(s, t, *v);
		break;
	case DO_WRITE:
		*v = (uint8_t)((i->b + s->reg[t]) % 4);
		tell_access(l, EV_WRITE, i->a, *v, 0);
		break;
	case DO_ADD:
		remember(s, t, *v);
		*v = (uint8_t)((*v + i->b) % 4);
		tell_access(l, EV_RMW, i->a, *v, 0);
		break;
	default:
		remember(s, t, *v);
		if (*v == i->b) {
			*v = (uint8_t)((i->b + 1) % 4);
			tell_access(l, EV_RMW, i->a, *v, 0);
		} else {
			tell_access(l, EV_RMW, i->a, *v, EVF_FAILED);
		}
		break;
	}
	forward(s, t, 1);
}

static void lock(struct sim_state *s, int t, const struct instruction *i, struct sim_list *l)
{
	uint64_t object = address(ADDRESS_LOCK, i->a);
	unsigned flags = i->kind == DO_TRY_LOCK	    ? OPF_TRY
			 : i->kind == DO_TIMED_LOCK ? OPF_TIMED
						    : 0;
	if (!s->holder[i->a]) {
		s->holder[i->a] = (uint8_t)(t + 1);
		tell(l, EV_ACQUIRE, object, 1, SYNC_MUTEX)->flags = (uint16_t)flags;
		forward(s, t, 1);
	} else if (i->kind == DO_TRY_LOCK) {
		tell(l, EV_TRY_FAIL, object, 0, SYNC_MUTEX);
		remember(s, t, 7);
		forward(s, t, 1 + i->skip);
	} else if (i->kind == DO_TIMED_LOCK && s->stage[t] == STAGE_WAITS) {
		tell(l, EV_TIMEOUT, object, 0, SYNC_MUTEX);
		remember(s, t, 6);
		forward(s, t, 1 + i->skip);
	} else {
		s->stage[t] = STAGE_WAITS;
		tell_blocked(l, object, SYNC_MUTEX, flags & OPF_TIMED);
	}
}

static void rwlock(struct sim_state *s, int t, const struct instruction *i, struct sim_list *l)
{
	uint64_t object = ADDRESS_RWLOCK;
	bool is_try = i->kind == DO_TRY_READ_LOCK;
	switch (i->kind) {
	case DO_READ_UNLOCK:
		s->readers[t] = 0;
		tell(l, EV_RELEASE, object, 0, SYNC_RDLOCK);
		break;
	case DO_WRITE_UNLOCK:
		s->writer = 0;
		tell(l, EV_RELEASE, object, 0, SYNC_WRLOCK);
		break;
	case DO_WRITE_LOCK:
		if (s->writer || has_readers(s)) {
			tell_blocked(l, object, SYNC_WRLOCK, false);
			return;
		}
		s->writer = (uint8_t)(t + 1);
		tell(l, EV_ACQUIRE, object, 1, SYNC_WRLOCK);
		break;
	default:
		if (s->writer && is_try) {
			tell(l, EV_TRY_FAIL, object, 0, SYNC_RDLOCK);
			remember(s, t, 5);
			forward(s, t, 1 + i->skip);
			return;
		}
		if (s->writer) {
			tell_blocked(l, object, SYNC_RDLOCK, false);
			return;
		}
		s->readers[t] = 1;
		tell(l, EV_ACQUIRE, object, 1, SYNC_RDLOCK)->flags = is_try ? OPF_TRY : 0;
		break;
	}
	forward(s, t, 1);
}

static void semaphore(struct sim_state *s, int t, const struct instruction *i, struct sim_list *l)
{
	uint64_t object = ADDRESS_SEMAPHORE;
	unsigned flags = i->kind == DO_SEM_TRY ? OPF_TRY : i->kind == DO_SEM_TIMED ? OPF_TIMED : 0;
	if (i->kind == DO_SEM_POST) {
		tell(l, EV_SEM_POST, object, ++s->semaphore, SYNC_SEMAPHORE);
	} else if (s->semaphore) {
		tell(l, EV_SEM_WAIT, object, --s->semaphore, SYNC_SEMAPHORE)->flags =
			(uint16_t)flags;
	} else if (i->kind == DO_SEM_TRY ||
		   (i->kind == DO_SEM_TIMED && s->stage[t] == STAGE_WAITS)) {
		tell(l, i->kind == DO_SEM_TRY ? EV_TRY_FAIL : EV_TIMEOUT, object, 0,
		     SYNC_SEMAPHORE);
		remember(s, t, 4);
	} else {
		s->stage[t] = STAGE_WAITS;
		tell_blocked(l, object, SYNC_SEMAPHORE, flags & OPF_TIMED);
		return;
	}
	forward(s, t, 1);
}

/* Three stages: into the queue, out of it, and to the mutex again. */
static void wait(struct sim_state *s, int t, const struct instruction *i, struct sim_list *l)
{
	uint64_t object = address(ADDRESS_COND, i->a), mutex = address(ADDRESS_LOCK, i->b);
	if (s->stage[t] == STAGE_FRESH) {
		tell(l, EV_WAIT, object, mutex, SYNC_COND);
		s->holder[i->b] = 0;
		tell(l, EV_RELEASE, mutex, 0, SYNC_MUTEX);
		s->queue[i->a][s->queued[i->a]++] = (uint8_t)t;
		s->stage[t] = STAGE_WAITS;
		tell_blocked(l, object, SYNC_COND, i->kind == DO_TIMED_WAIT);
		return;
	}
	if (s->stage[t] == STAGE_WAITS && !s->is_woken[t]) {
		int position = 0;
		while (s->queue[i->a][position] != t)
			position++;
		leave_queue(s, i->a, position);
		s->stage[t] = STAGE_MUTEX;
		tell(l, EV_TIMEOUT, object, 0, SYNC_COND);
		remember(s, t, 3);
		return; /* to take the mutex is a step of its own */
	}
	if (s->holder[i->b]) {
		s->stage[t] = STAGE_MUTEX;
		tell_blocked(l, mutex, SYNC_MUTEX, false);
		return;
	}
	s->holder[i->b] = (uint8_t)(t + 1);
	tell(l, EV_ACQUIRE, mutex, 1, SYNC_MUTEX);
	forward(s, t, 1);
}

static void signal(struct sim_state *s, const struct instruction *i, int choice, struct sim_list *l)
{
	uint64_t object = address(ADDRESS_COND, i->a);
	if (i->kind == DO_BROADCAST) {
		tell(l, EV_BROADCAST, object, s->queued[i->a], SYNC_COND);
		while (s->queued[i->a]) {
			s->is_woken[s->queue[i->a][0]] = 1;
			leave_queue(s, i->a, 0);
		}
		return;
	}
	unsigned woken = 0;
	if (s->queued[i->a]) {
		if (s->queued[i->a] > 1)
			tell(l, EV_CHOICE, 0, (unsigned)choice, 0)->size = s->queued[i->a];
		woken = s->queue[i->a][choice] + 1u;
		s->is_woken[woken - 1] = 1;
		leave_queue(s, i->a, choice);
	}
	tell(l, EV_SIGNAL, object, woken, SYNC_COND);
}

static void barrier(const struct sim_program *p, struct sim_state *s, int t, struct sim_list *l)
{
	if (s->stage[t] == STAGE_WAITS) {
		tell(l, EV_BARRIER_OUT, ADDRESS_BARRIER, 0, SYNC_BARRIER);
		forward(s, t, 1);
		return;
	}
	s->arrived++;
	tell(l, EV_BARRIER_IN, ADDRESS_BARRIER, (unsigned)(p->barrier - s->arrived), SYNC_BARRIER);
	if (s->arrived < p->barrier) {
		s->stage[t] = STAGE_WAITS;
		tell_blocked(l, ADDRESS_BARRIER, SYNC_BARRIER, false);
		return;
	}
	s->arrived = 0;
	for (int k = 0; k < THREADS_MAX; k++)
		if (k != t && s->is_there[k] && !s->has_ended[k] && s->stage[k] == STAGE_WAITS &&
		    p->code[k][s->pc[k]].kind == DO_BARRIER)
			s->is_woken[k] = 1;
	remember(s, t, 2);
	forward(s, t, 1);
}

static void await(struct sim_state *s, int t, const struct instruction *i, struct sim_list *l)
{
	uint8_t v = s->variable[i->a];
	tell_access(l, EV_READ, i->a, v, 0);
	if (v != i->b) {
		remember(s, t, v);
		forward(s, t, 1);
		return;
	}
	s->stage[t] = STAGE_WAITS;
	tell(l, OP_AWAIT, 0, 0, 0)->size = 1;
	tell_access(l, EV_READ, i->a, v, 0);
	l->is_blocked = true;
}

static void end_process(struct sim_state *s, enum sim_end end, struct sim_list *l)
{
	s->end = (uint8_t)end;
	if (end == SIM_EXIT)
		tell(l, EV_PROCESS_END, 0, 0, 0);
	else if (end == SIM_FAILED)
		tell(l, EV_FAILURE, 0, 2, 0); /* finding.def: an assertion */
	else
		tell(l, EV_ASSUME, 0, 0, 0);
}

static void simple(struct sim_state *s, int t, const struct instruction *i, int choice,
		   struct sim_list *l)
{
	switch (i->kind) {
	case DO_UNLOCK:
		s->holder[i->a] = 0;
		tell(l, EV_RELEASE, address(ADDRESS_LOCK, i->a), 0, SYNC_MUTEX);
		break;
	case DO_SIGNAL:
	case DO_BROADCAST:
		signal(s, i, choice, l);
		break;
	case DO_CHOOSE:
		tell(l, EV_CHOICE, 0, (unsigned)choice, 0)->size = i->b;
		remember(s, t, (unsigned)choice);
		break;
	case DO_OUTPUT:
		if (s->outputs < OUTPUT_MAX)
			s->output[s->outputs++] = (uint8_t)(s->reg[t] + 1);
		tell(l, OP_OUTPUT, 1, 0, 0);
		break;
	case DO_SKIP_IF:
		if (s->reg[t] % 2 == i->b)
			forward(s, t, i->skip);
		break;
	case DO_ASSERT:
	case DO_ASSUME:
		if (s->reg[t] == i->b)
			end_process(s, i->kind == DO_ASSERT ? SIM_FAILED : SIM_ASSUMED, l);
		break;
	case DO_FORK:
		s->is_there[i->a] = 1;
		tell(l, EV_FORK, i->a, 0, 0);
		break;
	case DO_JOIN:
		if (!s->has_ended[i->a]) {
			tell_blocked(l, i->a, 0, false);
			return;
		}
		tell(l, EV_JOIN, i->a, 0, 0);
		break;
	case DO_EXIT:
		end_process(s, SIM_EXIT, l);
		break;
	default:
		break;
	}
	forward(s, t, 1);
}

void sim_go(const struct sim_program *p, struct sim_state *s, int t, int choice, struct sim_list *l)
{
	if (is_at_end(p, s, t)) {
		s->has_ended[t] = 1;
		if (t)
			tell(l, EV_END, (unsigned)t, 0, 0);
		else
			end_process(s, SIM_EXIT, l);
		return;
	}
	const struct instruction *i = next_of(p, s, t);
	switch (i->kind) {
	case DO_READ:
	case DO_WRITE:
	case DO_ADD:
	case DO_COMPARE:
		access_variable(s, t, i, l);
		break;
	case DO_LOCK:
	case DO_TRY_LOCK:
	case DO_TIMED_LOCK:
		lock(s, t, i, l);
		break;
	case DO_READ_LOCK:
	case DO_TRY_READ_LOCK:
	case DO_READ_UNLOCK:
	case DO_WRITE_LOCK:
	case DO_WRITE_UNLOCK:
		rwlock(s, t, i, l);
		break;
	case DO_SEM_WAIT:
	case DO_SEM_TRY:
	case DO_SEM_TIMED:
	case DO_SEM_POST:
		semaphore(s, t, i, l);
		break;
	case DO_WAIT:
	case DO_TIMED_WAIT:
		wait(s, t, i, l);
		break;
	case DO_BARRIER:
		barrier(p, s, t, l);
		break;
	case DO_AWAIT:
		await(s, t, i, l);
		break;
	default:
		simple(s, t, i, choice, l);
		break;
	}
}

/* Whether others can be cut off by the end of the process: then what they know is not part of an
 * outcome. */
static bool is_settled(const struct sim_program *p, const struct sim_state *s)
{
	if (s->end == SIM_DEADLOCK)
		return true;
	return s->end == SIM_EXIT && p->joins_all;
}

uint64_t sim_outcome(const struct sim_program *p, const struct sim_state *s, bool with_memory)
{
	if (s->end == SIM_ASSUMED) /* it never happened */
		return 0;
	uint64_t h = hash_bytes(s->end, s->output, s->outputs);
	if (!is_settled(p, s))
		return h;
	h = hash_bytes(h, s->reg, sizeof(s->reg));
	h = hash_bytes(h, s->pc, sizeof(s->pc));
	return with_memory ? hash_bytes(h, s->variable, sizeof(s->variable)) : h;
}
