/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operations depend on each other: the one definition, used by the explorer for its
 * reduction and by the runtime to wake sleeping threads.
 *
 * Two operations of different threads are independent if, wherever both can be executed,
 * executing them in either order leads to the same state and gives both threads the same answers.
 * Everything that is not shown to be so is dependent: an error to that side costs executions, an
 * error to the other loses behaviours.
 *
 * Each operation has a footprint, an interval in one of a few spaces, and uses it in one of a few
 * ways.
 */
#ifndef HEDDLE_WIRE_DEPEND_H
#define HEDDLE_WIRE_DEPEND_H

#include "wire/explore.h"

enum footprint_space {
	SPACE_NONE,	 /* nobody else can see it */
	SPACE_MEMORY,	 /* bytes; a synchronisation object is the first byte of its own */
	SPACE_THREAD,	 /* thread numbers: create, end, join, detach, cancel, kill */
	SPACE_HIDDEN,	 /* objects of libc without an address */
	SPACE_OUTPUT,	 /* descriptors, and the end of the process, which ends all output */
	SPACE_HEAP,	 /* heap=reuse: size classes */
	SPACE_ANNOTATED, /* annotated locks and orderings, by address */
};

/* Uses of the same kind commute where the table in uses_commute() says so; all others do not. */
enum footprint_use {
	USE_READ,
	USE_CHANGE,
	USE_SHARE, /* acquire or release of an rwlock for reading */
	/* the same while a writer waits that is let first: who reads keeps others out, and lets
	 * them in again */
	USE_ADMIT,
	USE_POST, /* of a semaphore */
	/* a condition variable: to its queue, at its end; or out of it by itself, from any place */
	USE_QUEUE,
	USE_LEAVE,
	/* a thread: it ends; it is asked to end, which gives the same answer before and after its
	 * end */
	USE_END,
	USE_REQUEST,
	USES, /* how many there are */
};

struct footprint {
	uint64_t low, high; /* [low, high) */
	uint8_t space, use;
};

static inline bool uses_commute(unsigned a, unsigned b)
{
	/* the others stand in the same order, whoever is first */
	if (a == USE_LEAVE || b == USE_LEAVE)
		return (a == USE_LEAVE || a == USE_QUEUE) && (b == USE_LEAVE || b == USE_QUEUE);
	if (a == USE_REQUEST || b == USE_REQUEST)
		return (a == USE_REQUEST || a == USE_END) && (b == USE_REQUEST || b == USE_END);
	return a == b && (a == USE_READ || a == USE_SHARE || a == USE_POST);
}

static inline bool op_only_might(const struct wire_op *op)
{
	return (op->kind == EV_HIDDEN || op->kind == OP_OUTPUT) && op->flags & OPF_MIGHT;
}

/*
 * An annotated lock is known to the runtime only, which reports its misuse.  The bytes at its
 * address are those of the program's own lock: an annotation neither reads nor changes them.
 */
static inline bool op_is_annotated(const struct wire_op *op)
{
	bool is_of_lock = op->kind == EV_ACQUIRE || op->kind == EV_RELEASE ||
			  op->kind == EV_TRY_FAIL || op->kind == EV_ASK ||
			  op->kind == EV_SYNC_INIT || op->kind == EV_SYNC_DESTROY;
	return is_of_lock && (op->mode == SYNC_ANNOTATED || op->mode == SYNC_ANNOTATED_SHARED);
}

static inline struct footprint op_footprint(const struct wire_op *op)
{
	struct footprint f = { op->object, op->object + 1, SPACE_NONE, USE_CHANGE };
	if (op_only_might(op))
		return f;
	switch (op->kind) {
	case EV_READ:
		f = (struct footprint){ op->object, op->object + op->size, SPACE_MEMORY, USE_READ };
		break;
	case EV_RMW:
	case EV_WRITE:
	case EV_FLUSH:
	case EV_OUTSIDE_WRITE:
	case EV_FREE:
	case EV_RESIZE:
		f = (struct footprint){ op->object, op->object + (op->size ? op->size : 1),
					SPACE_MEMORY, USE_CHANGE };
		if (op->kind == EV_RMW && op->flags & EVF_FAILED)
			f.use = USE_READ;
		if (op->kind == EV_WRITE && op->flags & EVF_BUFFERED)
			f.space = SPACE_NONE; /* nobody sees it before its flush */
		break;
	case EV_ACQUIRE:
	case EV_RELEASE:
		f.space = SPACE_MEMORY;
		if (op->mode == SYNC_RDLOCK || op->mode == SYNC_ANNOTATED_SHARED)
			f.use = op->flags & OPF_ASKED ? USE_ADMIT : USE_SHARE;
		break;
	case EV_SEM_POST:
		f.space = SPACE_MEMORY;
		f.use = USE_POST;
		break;
	case EV_TRY_FAIL:
		/* It was held, and stays so: several of them commute. */
		f.space = SPACE_MEMORY;
		f.use = USE_READ;
		break;
	case EV_TIMEOUT:
		/* Likewise; but a condition variable and a futex have one waiter less. */
		f.space = SPACE_MEMORY;
		f.use = op->mode == SYNC_COND	 ? USE_LEAVE
			: op->mode == SYNC_FUTEX ? USE_CHANGE
						 : USE_READ;
		break;
	case EV_WAIT:
		f.space = SPACE_MEMORY;
		if (op->mode == SYNC_COND)
			f.use = USE_QUEUE;
		break;
	case EV_SYNC_INIT:
	case EV_SYNC_DESTROY:
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_BARRIER_IN:
	case EV_SEM_WAIT:
	case EV_ONCE_BEGIN:
	case EV_ONCE_END:
	case EV_ORPHAN:
	case EV_CONSISTENT:
	case EV_ASK:
		f.space = SPACE_MEMORY;
		break;
	case EV_FORK:
		/* Creations are numbered, so each depends on all others; what a thread does
		 * follows its creation anyway. */
		f = (struct footprint){ UINT64_MAX - 1, UINT64_MAX, SPACE_THREAD, USE_CHANGE };
		break;
	case EV_JOIN:
	case EV_DETACH:
	case EV_KILL:
		f.space = SPACE_THREAD;
		break;
	case EV_END:
		f.space = SPACE_THREAD;
		f.use = USE_END;
		break;
	case EV_CANCEL:
		f.space = SPACE_THREAD;
		f.use = op->flags & OPF_DETACHED ? USE_CHANGE : USE_REQUEST;
		if (op->object == UINT64_MAX) /* a thread that is gone: all that have been */
			f = (struct footprint){ 0, UINT64_MAX, SPACE_THREAD, USE_READ };
		break;
	case EV_HIDDEN:
		/* a look at a synchronisation object, which has an address */
		if (op->mode <= SYNC_FUTEX) {
			f.space = SPACE_MEMORY;
			f.use = op->value ? USE_CHANGE : USE_READ;
			break;
		}
		/*
		 * What the call does is told as a change of the outside, which orders all calls,
		 * also one that waits and of which no more is known yet (pause_call()).  This
		 * says for races what came out of what.
		 */
		if (op->mode == HIDDEN_CHANNEL)
			break;
		f = (struct footprint){ op->object << 8 | op->mode,
					(op->object << 8 | op->mode) + 1, SPACE_HIDDEN,
					op->value ? USE_CHANGE : USE_READ };
		if (op->mode == HIDDEN_CANCEL && op->value == PENDING_TAKEN)
			f.use = USE_READ;
		break;
	case EV_ANNOTATION:
		/* Publications commute; a later look sees all of them. */
		if (op->mode == ANNOTATION_HAPPENS_BEFORE || op->mode == ANNOTATION_HAPPENS_AFTER) {
			f.space = SPACE_ANNOTATED;
			f.use = op->mode == ANNOTATION_HAPPENS_BEFORE ? USE_POST : USE_READ;
		}
		break;
	case OP_OUTPUT:
		f.space = SPACE_OUTPUT;
		break;
	case EV_ASSUME:
		/* One that does not hold drops the execution, and with it an end that would have
		 * come later. */
		if (!op->value)
			f = (struct footprint){ UINT64_MAX - 1, UINT64_MAX, SPACE_OUTPUT,
						USE_READ };
		break;
	case EV_PROCESS_END:
	case EV_FAILURE:
		f = (struct footprint){ 0, UINT64_MAX, SPACE_OUTPUT, USE_CHANGE };
		break;
	default:
		break;
	}
	if (op_is_annotated(op))
		f.space = SPACE_ANNOTATED;
	return f;
}

static inline bool footprints_depend(const struct footprint *a, const struct footprint *b)
{
	return a->space == b->space && a->space != SPACE_NONE && a->low < b->high &&
	       b->low < a->high && !uses_commute(a->use, b->use);
}

/*
 * A store that waits in a buffer changes nothing, but it is made to memory that must be alive:
 * whether it comes before or after the end of a block is the difference between a use and a use
 * after free.  An annotated lock in a block that is freed is a finding while it is held.
 */
static inline bool op_needs_life(const struct wire_op *op)
{
	return (op->kind == EV_WRITE && op->flags & EVF_BUFFERED) || op_is_annotated(op);
}

static inline bool op_ends_life(const struct wire_op *op)
{
	return op->kind == EV_FREE || op->kind == EV_RESIZE;
}

static inline bool lives_depend(const struct wire_op *a, const struct wire_op *b)
{
	bool is_one =
		(op_needs_life(a) && op_ends_life(b)) || (op_needs_life(b) && op_ends_life(a));
	return is_one && a->object < b->object + (b->size ? b->size : 1) &&
	       b->object < a->object + (a->size ? a->size : 1);
}

static inline bool ops_depend(const struct wire_op *a, const struct wire_op *b)
{
	struct footprint fa = op_footprint(a), fb = op_footprint(b);
	return footprints_depend(&fa, &fb) || lives_depend(a, b);
}

#endif
