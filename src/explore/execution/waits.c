/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How threads wait: what a thread that is blocked needs to go on, which operations its wait
 * depends on, and the looks for signals and requests to end that interrupt it.
 */
#include "explore/execution/internal.h"

#include "wire/fault.h"
#include "wire/finding.h"
#include "wire/kinds.h"

/* ---- what a thread needs ---- */

/* A look for a signal, or for a request that the thread ends, that found none. */
static bool is_empty_look(const struct wire_op *op)
{
	return op->kind == EV_HIDDEN && (op->mode == HIDDEN_PENDING || op->mode == HIDDEN_CANCEL) &&
	       op->value == PENDING_NONE;
}

/* What an operation may have waited for; kind 0: nothing that the runtime makes it wait for. */
static struct wire_op op_need(const struct wire_op *op)
{
	switch ((enum event_kind)op->kind) {
	case EV_ACQUIRE:
	case EV_SEM_WAIT:
	case EV_JOIN:
		if (op_is_annotated(op)) /* the program's own code has waited */
			break;
		if (FAULT(TRY_NEEDS_OBJECT))
			return *op;
		if (!(op->flags & (OPF_TRY | OPF_TIMED)))
			return *op;
		break;
	case EV_HIDDEN:
		/* A look at a one-time initialisation that is over: while it ran, it would have
		 * waited. */
		if (op->mode == SYNC_ONCE)
			return (struct wire_op){ .kind = EV_ACQUIRE,
						 .object = op->object,
						 .mode = SYNC_ONCE };
		break;
	/* That a thread waits for another one to wake it is listed as OP_BLOCKED. */
	CASES_OF_ATTEMPTS:
	case EV_RELEASE:
	CASES_OF_OBJECT_LIFE:
	CASES_OF_CONDITIONS:
	CASES_OF_BARRIERS:
	case EV_SEM_POST:
	CASES_OF_ONCE:
	case EV_ORPHAN:
	case EV_CONSISTENT:
	case EV_ASK:
	case EV_FORK:
	case EV_BEGIN:
	case EV_END:
	case EV_DETACH:
	case EV_JOIN_WAIT:
	CASES_OF_SIGNALS:
#define SYNC_ON_OBJECT(...)
#define SYNC_ON_THREAD(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	return (struct wire_op){ 0 };
}

/* What the first visible operation may have waited for, if only reads are before it. */
struct wire_op opset_need(const struct opset *s)
{
	uint32_t i = 0;
	while (i < s->count && (s->ops[i].kind == EV_READ || is_empty_look(&s->ops[i])))
		i++;
	return i < s->count ? op_need(&s->ops[i]) : (struct wire_op){ 0 };
}

struct wire_op pause_need(const struct pause *p)
{
	struct wire_op op = { .object = p->object, .mode = p->mode };
	switch (sync_need(p->mode)) {
	case SYNC_NEED_LOCK:
		op.kind = EV_ACQUIRE;
		break;
	case SYNC_NEED_TOKEN:
		op.kind = EV_SEM_WAIT;
		if (FAULT(BLOCKED_SEM_WAIT_NEEDS_NOTHING))
			op.kind = 0;
		break;
	case SYNC_NEED_WAKE:
	case SYNC_NEED_OWN:
		break;
	}
	return op;
}

struct wire_op pause_use(const struct pause *p)
{
	struct wire_op need = pause_need(p);
	if (need.kind)
		return (struct wire_op){ .kind = EV_WAIT, .object = p->object };
	if (p->is_join)
		return (struct wire_op){ .kind = EV_JOIN,
					 .object = p->object,
					 .flags = EVF_FAILED };
	if (p->mode == SYNC_COND || p->mode == SYNC_BARRIER || p->mode == SYNC_FUTEX)
		return (struct wire_op){ .kind = EV_HIDDEN, .object = p->object, .mode = p->mode };
	return (struct wire_op){ 0 };
}

struct wire_op pause_call(const struct pause *p)
{
	struct wire_op op = { .kind = EV_HIDDEN, .object = p->object, .value = 1 };
	return p->is_waiting && p->mode == HIDDEN_CHANNEL ? op : (struct wire_op){ 0 };
}

struct wire_op timed_end(const struct timed_wait *t)
{
	return (struct wire_op){ .kind = EV_TIMEOUT, .object = t->object, .mode = t->mode };
}

/* ---- looks ---- */

bool op_is_pending(const struct wire_op *op, uint64_t whose)
{
	return op->kind == EV_HIDDEN && op->mode == HIDDEN_PENDING &&
	       op->object == PENDING_OF(whose);
}

bool op_interrupts(const struct wire_op *op, uint32_t thread)
{
	return op_is_pending(op, thread) && op->value == PENDING_WAKES;
}

bool op_looks_for_cancel(const struct wire_op *op, uint32_t thread)
{
	return op->kind == EV_HIDDEN && op->mode == HIDDEN_CANCEL &&
	       op->object == PENDING_OF(thread);
}

bool op_cancels(const struct wire_op *op, uint32_t thread)
{
	return op_looks_for_cancel(op, thread) && op->value == PENDING_WAKES;
}

static bool is_look(const struct wire_op *op, uint32_t thread)
{
	return op_is_pending(op, thread) || op_looks_for_cancel(op, thread);
}

/*
 * What the thread finds when it looks first: a signal, or a request that it ends.  NULL: the first
 * that it does is something else, or it finds nothing.
 */
const struct wire_op *ops_found(const struct wire_op *ops, size_t count, uint32_t thread)
{
	const struct wire_op *op = ops, *end = op + count;
	while (op < end && is_look(op, thread) && op->value == PENDING_NONE)
		op++;
	return op < end && is_look(op, thread) && op->value == PENDING_TAKEN ? op : NULL;
}

/*
 * What the thread was waiting for when it found that, as an operation; kind 0: nothing that
 * matters.  A request to end has taken the thread out of the queue of a condition variable, and
 * whether a call that waits for a descriptor could be made is decided by the outside.
 */
struct wire_op pause_interrupted_use(const struct pause *p, const struct wire_op *found)
{
	if (!found || !p->is_waiting)
		return (struct wire_op){ 0 };
	if (found->mode == HIDDEN_PENDING)
		return pause_use(p);
	return p->mode == SYNC_COND	   ? (struct wire_op){ 0 }
	       : p->mode == HIDDEN_CHANNEL ? pause_call(p)
					   : pause_use(p);
}

size_t moves_looks(const struct moves *h, uint32_t thread, size_t last, bool is_cancellable,
		   struct wire_op *out)
{
	size_t n = 0;
	if (is_cancellable)
		out[n++] = (struct wire_op){ .kind = EV_HIDDEN,
					     .mode = HIDDEN_CANCEL,
					     .object = PENDING_OF(thread) };
	if (last == NO_MOVE)
		return n;
	const struct branch *b = &h->moves.at[last].branch;
	const uint64_t whose[] = { thread, PENDING_PROCESS };
	for (size_t w = 0; w < sizeof(whose) / sizeof(whose[0]); w++)
		for (uint32_t i = 0; i < b->ops->count; i++)
			if (op_is_pending(&b->ops->ops[i], whose[w])) {
				out[n++] = (struct wire_op){ .kind = EV_HIDDEN,
							     .mode = HIDDEN_PENDING,
							     .object = PENDING_OF(whose[w]) };
				break;
			}
	return n;
}

struct opset *moves_new_next(const struct moves *h, uint32_t thread, size_t last,
			     bool is_cancellable, const struct wire_op *ops, size_t count)
{
	VEC(struct wire_op) all = { 0 };
	struct wire_op looks[LOOKS_MAX];
	size_t n = moves_looks(h, thread, last, is_cancellable, looks);
	for (size_t i = 0; i < n; i++)
		vec_push(&all, looks[i]);
	for (size_t i = 0; i < count; i++)
		vec_push(&all, ops[i]);
	struct opset *s = opset_new(all.at, all.len, NULL, 0);
	vec_release(&all);
	return s;
}

/* ---- failures ---- */

bool failure_is_of_all(uint64_t failure)
{
	return failure == FAILURE_DEADLOCK || failure == FAILURE_LIVELOCK;
}

bool failure_is_cycle(uint64_t failure)
{
	return failure == FAILURE_LOCK_CYCLE;
}
