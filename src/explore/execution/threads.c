/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of each thread while the moves of an execution are read: what a move changes for its
 * own thread, and what its operations change for others (creation, end, waking).
 */
#include "explore/execution/internal.h"

#include "base/alloc.h"
#include "wire/fault.h"
#include "wire/kinds.h"

void pause_clear(struct pause *p)
{
	opset_drop(p->awaits);
	*p = (struct pause){ 0 };
}

void moves_release_threads(struct moves *h)
{
	for (size_t i = 0; i < h->threads.len; i++) {
		pause_clear(&h->threads.at[i].pause);
		opset_drop(h->threads.at[i].passed);
		vec_release(&h->threads.at[i].reads);
		vec_release(&h->threads.at[i].waits);
		vec_release(&h->threads.at[i].stored);
	}
	h->threads.len = 0;
}

struct thread_now *moves_thread(struct moves *h, uint64_t number)
{
	while (h->threads.len <= number) {
		struct thread_now *t = vec_add(&h->threads);
		t->last = t->created_by = t->woken_by = NO_MOVE;
		t->flushes = (struct flushes){ NO_MOVE, NO_MOVE };
	}
	return &h->threads.at[number];
}

/*
 * The thread is woken by the move, unless a move before has woken it.  A thread that waits for a
 * lock is not ordered after the move that frees it: it may come before the holder.
 */
static void wake(struct moves *h, uint64_t thread_plus_one, size_t move)
{
	if (!thread_plus_one || thread_plus_one > MOVES_THREADS_MAX)
		return;
	struct thread_now *t = moves_thread(h, thread_plus_one - 1);
	if (FAULT(WAKER_NOT_RECORDED))
		return;
	if (t->pause.is_waiting && !pause_need(&t->pause).kind && t->woken_by == NO_MOVE)
		t->woken_by = move;
}

static void wake_all(struct moves *h, uint64_t object, size_t move)
{
	for (size_t i = 0; i < h->threads.len; i++)
		if (h->threads.at[i].pause.is_waiting && h->threads.at[i].pause.object == object)
			wake(h, i + 1, move);
}

/* What an operation changes for other threads, beside what depends on it. */
static void change_others(struct moves *h, const struct wire_op *op, uint32_t self, size_t move)
{
	switch ((enum event_kind)op->kind) {
	case EV_FORK:
		if (op->object < MOVES_THREADS_MAX) {
			struct thread_now *t = moves_thread(h, op->object);
			t->is_there = true;
			t->created_by = move;
		}
		break;
	case EV_END:
		moves_thread(h, self)->has_ended = true;
		break;
	case EV_SIGNAL:
		wake(h, op->value, move);
		break;
	case EV_BROADCAST:
		wake_all(h, op->object, move);
		break;
	case EV_BARRIER_IN:
		if (!op->value)
			wake_all(h, op->object, move);
		break;
	/* Accesses and fences: what they change for others is dependence. */
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_FENCE:
	case EV_FLUSH:
	CASES_OF_BLOCKS:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
	/* So it is for what a blocked thread may need (need_of()). */
	CASES_OF_ATTEMPTS:
	case EV_ACQUIRE:
	case EV_RELEASE:
	CASES_OF_OBJECT_LIFE:
	CASES_OF_SEMAPHORES:
	CASES_OF_ONCE:
	case EV_ORPHAN:
	case EV_CONSISTENT:
	case EV_ASK:
	case EV_JOIN:
	case EV_JOIN_WAIT:
	case EV_DETACH:
	/* A signal or request to end is a HIDDEN, which the thread that it wakes depends on. */
	case EV_HIDDEN:
	CASES_OF_SIGNALS:
	/* the thread's own part of a wait, of its beginning, of input and output */
	case EV_WAIT:
	case EV_WAKE:
	case EV_BARRIER_OUT:
	case EV_BEGIN:
	case EV_INPUT:
	case EV_ANNOTATION:
	case EV_ASSUME:
	case EV_FAILURE:
	case EV_PROCESS_END:
#define SYNC_OWN(NAME) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
}

/* The thread made a move: what that changes for it and for others. */
void moves_follow(struct moves *h, size_t number)
{
	const struct move *m = &h->moves.at[number];
	uint32_t self = m->branch.thread;
	struct thread_now *t = moves_thread(h, self);
	t->moves = m->index;
	t->last = number;
	t->woken_by = NO_MOVE;
	if (!t->drained.low && t->drained.high == UINT64_MAX)
		t->flushes.known = t->drained.of.last;
	t->drained.high = 0;
	t->timed = (struct timed_wait){ 0 };
	opset_drop(t->passed);
	t->passed = NULL;
	t->reads.len = t->waits.len = 0;
	const struct opset *ops = m->branch.ops;
	for (uint32_t i = 0; i < ops->count; i++) {
		const struct wire_op *op = &ops->ops[i];
		t = moves_thread(h, self);
		if (op->kind == EV_FENCE)
			t->epoch++;
		if (op->kind == EV_WRITE && op->flags & EVF_BUFFERED)
			vec_push(&t->stored, ((struct stored){ number,
							       op->object,
							       self,
							       op->size,
							       ++t->stores,
							       t->epoch,
							       order_releases_in_buffer(op->mode),
							       { NO_MOVE, t->flushes.known } }));
		change_others(h, op, self, number);
	}
	const struct stored *flushed = moves_flushed_by(h, self, ops);
	if (flushed) {
		struct thread_now *owner = moves_thread(h, flushed->thread);
		size_t at = (size_t)(flushed - owner->stored.at);
		owner->stored.len--;
		memmove(owner->stored.at + at, owner->stored.at + at + 1,
			(owner->stored.len - at) * sizeof(struct stored));
		owner->flushes.last = number;
	}
}
