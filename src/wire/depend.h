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
 * ways.  Which rule gives the footprint of which kind, and which uses commute, is in sync.def: a
 * kind without a footprint does not compile.
 */
#ifndef HEDDLE_WIRE_DEPEND_H
#define HEDDLE_WIRE_DEPEND_H

#include "wire/sync.h"

enum footprint_space {
	SPACE_NONE,	 /* no other thread can see it */
	SPACE_MEMORY,	 /* bytes; a synchronisation object is the first byte of its own */
	SPACE_THREAD,	 /* thread numbers: create, end, join, detach, cancel, kill */
	SPACE_HIDDEN,	 /* objects of libc without an address */
	SPACE_OUTPUT,	 /* descriptors, and the end of the process, which ends all output */
	SPACE_HEAP,	 /* heap=reuse: size classes */
	SPACE_ANNOTATED, /* annotated locks and orderings, by address */
};

/* Uses commute where a row of sync.def says so; all others do not. */
enum footprint_use {
	USE_READ,
	USE_CHANGE,
	USE_SHARE, /* acquire or release of an rwlock for reading */
	/* the same while a writer that has priority waits: a reader that holds the lock keeps other
	 * readers out, and its release lets them in */
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

/* Whether two such uses of one object commute: the rows of sync.def, each with its reason. */
static inline bool uses_commute(unsigned a, unsigned b)
{
	switch (a * USES + b) {
#define COMMUTES(USE) case USE_##USE *USES + USE_##USE:
#define COMMUTE(USE, OTHER)                 \
	case USE_##USE *USES + USE_##OTHER: \
	case USE_##OTHER *USES + USE_##USE:
#include "wire/sync.def"
		return true;
	}
	return false;
}

static inline bool op_only_might(const struct wire_op *op)
{
	return (op->kind == EV_HIDDEN || op->kind == OP_OUTPUT) && op->flags & OPF_MIGHT;
}

/* ---- footprints: the rules that sync.def names ---- */

static inline struct footprint footprint_none(const struct wire_op *op)
{
	return (struct footprint){ op->object, op->object + 1, SPACE_NONE, USE_CHANGE };
}

static inline struct footprint footprint_read(const struct wire_op *op)
{
	return (struct footprint){ op->object, op->object + op->size, SPACE_MEMORY, USE_READ };
}

static inline struct footprint footprint_change(const struct wire_op *op)
{
	return (struct footprint){ op->object, op->object + (op->size ? op->size : 1), SPACE_MEMORY,
				   USE_CHANGE };
}

static inline struct footprint footprint_write(const struct wire_op *op)
{
	struct footprint f = footprint_change(op);
	if (op->flags & EVF_BUFFERED)
		f.space = SPACE_NONE; /* no other thread sees it before its flush */
	return f;
}

static inline struct footprint footprint_rmw(const struct wire_op *op)
{
	struct footprint f = footprint_change(op);
	if (op->flags & EVF_FAILED)
		f.use = USE_READ;
	return f;
}

/* A synchronisation object is its first byte. */
static inline struct footprint footprint_object(const struct wire_op *op)
{
	return (struct footprint){ op->object, op->object + 1,
				   op_is_annotated(op) ? SPACE_ANNOTATED : SPACE_MEMORY,
				   USE_CHANGE };
}

static inline struct footprint footprint_lock(const struct wire_op *op)
{
	struct footprint f = footprint_object(op);
	if (sync_is_shared(op->mode))
		f.use = op->flags & OPF_WRITER_WAITS ? USE_ADMIT : USE_SHARE;
	return f;
}

/* It found the object in a state, and leaves it so: several of them commute. */
static inline struct footprint footprint_look(const struct wire_op *op)
{
	struct footprint f = footprint_object(op);
	f.use = USE_READ;
	return f;
}

/* Likewise; but a condition variable and a futex have one waiter less. */
static inline struct footprint footprint_timeout(const struct wire_op *op)
{
	struct footprint f = footprint_look(op);
	if (op->mode == SYNC_COND)
		f.use = USE_LEAVE;
	else if (op->mode == SYNC_FUTEX)
		f.use = USE_CHANGE;
	return f;
}

static inline struct footprint footprint_wait(const struct wire_op *op)
{
	struct footprint f = footprint_object(op);
	if (op->mode == SYNC_COND)
		f.use = USE_QUEUE;
	return f;
}

static inline struct footprint footprint_post(const struct wire_op *op)
{
	struct footprint f = footprint_object(op);
	f.use = USE_POST;
	return f;
}

/*
 * Creations are numbered, so each depends on all others.  What the new thread does follows its
 * creation by order, not by dependence.
 */
static inline struct footprint footprint_creation(const struct wire_op *op)
{
	(void)op;
	return (struct footprint){ UINT64_MAX - 1, UINT64_MAX, SPACE_THREAD, USE_CHANGE };
}

static inline struct footprint footprint_thread(const struct wire_op *op)
{
	return (struct footprint){ op->object, op->object + 1, SPACE_THREAD, USE_CHANGE };
}

static inline struct footprint footprint_thread_end(const struct wire_op *op)
{
	return (struct footprint){ op->object, op->object + 1, SPACE_THREAD, USE_END };
}

static inline struct footprint footprint_cancel(const struct wire_op *op)
{
	if (op->object == UINT64_MAX) /* a thread that is gone: all that have been */
		return (struct footprint){ 0, UINT64_MAX, SPACE_THREAD, USE_READ };
	return (struct footprint){ op->object, op->object + 1, SPACE_THREAD,
				   op->flags & OPF_DETACHED ? USE_CHANGE : USE_REQUEST };
}

static inline struct footprint footprint_hidden(const struct wire_op *op)
{
	uint8_t use = op->value ? USE_CHANGE : USE_READ;
	if (op_only_might(op))
		return footprint_none(op);
	/* a look at a synchronisation object, which has an address */
	if (op->mode <= SYNC_FUTEX)
		return (struct footprint){ op->object, op->object + 1, SPACE_MEMORY, use };
	/*
	 * What the call does is listed as a change of the outside, which orders all calls, also one
	 * that waits and of which no more is known yet (pause_call()).  This says for races what
	 * came out of what.
	 */
	if (op->mode == HIDDEN_CHANNEL)
		return footprint_none(op);
	/* A request to end that the thread finds stays. */
	if (op->mode == HIDDEN_CANCEL && op->value == PENDING_TAKEN)
		use = USE_READ;
	return (struct footprint){ op->object << 8 | op->mode, (op->object << 8 | op->mode) + 1,
				   SPACE_HIDDEN, use };
}

/* Publications commute; a later look sees all of them.  Other annotations order nothing. */
static inline struct footprint footprint_annotation(const struct wire_op *op)
{
	bool is_before = op->mode == ANNOTATION_HAPPENS_BEFORE;
	if (!is_before && op->mode != ANNOTATION_HAPPENS_AFTER)
		return footprint_none(op);
	return (struct footprint){ op->object, op->object + 1, SPACE_ANNOTATED,
				   is_before ? USE_POST : USE_READ };
}

/* An assumption that does not hold drops the execution, and with it an end that comes later. */
static inline struct footprint footprint_assume(const struct wire_op *op)
{
	if (op->value)
		return footprint_none(op);
	return (struct footprint){ UINT64_MAX - 1, UINT64_MAX, SPACE_OUTPUT, USE_READ };
}

/* The end of the process, which ends all output. */
static inline struct footprint footprint_last(const struct wire_op *op)
{
	(void)op;
	return (struct footprint){ 0, UINT64_MAX, SPACE_OUTPUT, USE_CHANGE };
}

/* Entries of the list that are no events. */
static inline struct footprint footprint_of_entry(const struct wire_op *op)
{
	switch ((enum explore_entry)op->kind) {
	case OP_OUTPUT:
		return op_only_might(op) ? footprint_none(op)
					 : (struct footprint){ op->object, op->object + 1,
							       SPACE_OUTPUT, USE_CHANGE };
	case OP_STEP:
	case OP_BLOCKED: /* to wait changes nothing; what the thread does then is listed */
	case OP_AWAIT:	 /* what it read is in its data, and is added to its next move */
	case OP_IN_CYCLE:
	case OP_POLL:
		break;
	}
	return footprint_none(op);
}

/* Of the operation as it was executed: its result is part of it. */
static inline struct footprint op_footprint(const struct wire_op *op)
{
	switch ((enum event_kind)op->kind) {
#define SYNC_EVENT(NAME, footprint, publishes, receives, verb) \
	case EV_##NAME:                                        \
		return footprint_##footprint(op);
#include "wire/sync.def"
	}
	return footprint_of_entry(op);
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

/*
 * Both operations with their results: a footprint is that of the operation as it was executed.  A
 * pair that commutes because of what it found is a use of its own in sync.def, with a row that
 * says why.
 */
static inline bool ops_depend(const struct wire_op *a, const struct wire_op *b)
{
	struct footprint fa = op_footprint(a), fb = op_footprint(b);
	return footprints_depend(&fa, &fb) || lives_depend(a, b);
}

#endif
