/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicates over the table of synchronisation (sync.def): how objects are held and waited for,
 * and the edges of happens-before that an operation makes.  Dependence is in depend.h.
 */
#ifndef HEDDLE_WIRE_SYNC_H
#define HEDDLE_WIRE_SYNC_H

#include "wire/explore.h"

/* ---- the table has a row for each kind of event ---- */

enum sync_row {
#define SYNC_EVENT(NAME, footprint, publishes, receives, verb) SYNC_ROW_##NAME,
#include "wire/sync.def"
};
/* A kind of events.def without a row in sync.def is an undeclared identifier here. */
enum sync_has_row {
#define EVENT(number, NAME, name, obj, a, b) SYNC_HAS_ROW_##NAME = SYNC_ROW_##NAME,
#include "wire/events.def"
#undef EVENT
};

/* ---- objects ---- */

enum sync_hold { SYNC_HOLD_NOT, SYNC_HOLD_SHARED, SYNC_HOLD_EXCLUSIVE };
enum sync_need { SYNC_NEED_WAKE, SYNC_NEED_LOCK, SYNC_NEED_TOKEN, SYNC_NEED_OWN };

/* Modes that are no synchronisation object (hidden.def, 0) are not held. */
static inline enum sync_hold sync_hold(unsigned mode)
{
	switch (mode) {
#define SYNC_OBJECT(number, NAME, word, noun, HOLD, NEED) \
	case SYNC_##NAME:                                 \
		return SYNC_HOLD_##HOLD;
#include "wire/sync.def"
	}
	return SYNC_HOLD_NOT;
}

/* A thread that waits for something else (a descriptor, say) is woken when it can go on. */
static inline enum sync_need sync_need(unsigned mode)
{
	switch (mode) {
#define SYNC_OBJECT(number, NAME, word, noun, HOLD, NEED) \
	case SYNC_##NAME:                                 \
		return SYNC_NEED_##NEED;
#include "wire/sync.def"
	}
	return SYNC_NEED_WAKE;
}

/* A read lock: several threads hold it at a time. */
static inline bool sync_is_shared(unsigned mode)
{
	return sync_hold(mode) == SYNC_HOLD_SHARED;
}

/*
 * An annotated lock is known to the runtime only, which reports its misuse.  The bytes at its
 * address are those of the program's own lock: an annotation neither reads nor changes them.
 */
static inline bool sync_is_annotated(unsigned mode)
{
	return sync_need(mode) == SYNC_NEED_OWN;
}

/* A lock of the system, which may be acquired and released many times; a once control is not. */
static inline bool sync_is_lock(unsigned mode)
{
	return sync_hold(mode) != SYNC_HOLD_NOT && !sync_is_annotated(mode) && mode != SYNC_ONCE;
}

static inline bool sync_is_rwlock(unsigned mode)
{
	return mode == SYNC_RDLOCK || mode == SYNC_WRLOCK;
}

static inline bool op_is_annotated(const struct wire_op *op)
{
	bool is_of_lock = op->kind == EV_ACQUIRE || op->kind == EV_RELEASE ||
			  op->kind == EV_TRY_FAIL || op->kind == EV_ASK ||
			  op->kind == EV_SYNC_INIT || op->kind == EV_SYNC_DESTROY;
	return is_of_lock && sync_is_annotated(op->mode);
}

/* ---- memory orders ---- */

static inline bool order_acquires(unsigned mode)
{
	return mode == MODE_CONSUME || mode == MODE_ACQUIRE || mode == MODE_ACQ_REL ||
	       mode == MODE_SEQ_CST;
}

static inline bool order_releases(unsigned mode)
{
	return mode == MODE_RELEASE || mode == MODE_ACQ_REL || mode == MODE_SEQ_CST;
}

/*
 * A store or fence of this order may wait in a store buffer, behind all stores before it.  One
 * that is sequentially consistent does not wait: the buffer is emptied first.
 */
static inline bool order_releases_in_buffer(unsigned mode)
{
	return mode == MODE_RELEASE || mode == MODE_ACQ_REL;
}

/* ---- edges of happens-before ---- */

/*
 * Where a past is left and found.  Addresses of objects and of annotations are kept apart: an
 * annotated lock may have the address of an atomic, of which a relaxed store ends what was
 * published.
 */
enum sync_via { VIA_NOTHING, VIA_OBJECT, VIA_CREATION, VIA_END, VIA_MESSAGE, VIA_ANNOTATION };

struct sync_edge {
	uint64_t object;
	uint8_t via; /* enum sync_via; VIA_NOTHING: there is no edge */
};

/* The rules of sync.def, as columns `publishes` and `receives` name them. */
enum sync_rule {
	SYNC_RULE_none,
	SYNC_RULE_object,
	SYNC_RULE_creation,
	SYNC_RULE_end,
	SYNC_RULE_order,
	SYNC_RULE_hidden,
	SYNC_RULE_annotation,
};

struct sync_rules {
	uint8_t publishes, receives; /* enum sync_rule */
};

static inline struct sync_rules sync_rules(unsigned kind)
{
	switch ((enum event_kind)kind) {
#define SYNC_EVENT(NAME, footprint, publishes, receives, verb) \
	case EV_##NAME:                                        \
		return (struct sync_rules){ SYNC_RULE_##publishes, SYNC_RULE_##receives };
#include "wire/sync.def"
	}
	return (struct sync_rules){ SYNC_RULE_none, SYNC_RULE_none };
}

/* A message to a thread or through a pipe, by its mode: which thread sends and which takes it. */
static inline struct sync_edge hidden_edge(const struct wire_op *op, bool is_sent)
{
	/* What was read from a pipe was written before. */
	if (op->mode == HIDDEN_CHANNEL && op->value == (is_sent ? CHANNEL_PUT : CHANNEL_TAKEN))
		return (struct sync_edge){ op->object, VIA_MESSAGE };
	/* What was done before a signal was sent, or a request made, its receiver sees. */
	bool is_of_thread = op->mode == HIDDEN_PENDING || op->mode == HIDDEN_CANCEL;
	if (is_of_thread && (is_sent ? op->value >= PENDING_SENT : op->value == PENDING_TAKEN))
		return (struct sync_edge){ op->object << 8 | op->mode, VIA_MESSAGE };
	/* A look at an object that is done: what came before its end is seen. */
	if (!is_sent && !op->value && (op->mode == SYNC_ONCE || op->mode == SYNC_SEMAPHORE))
		return (struct sync_edge){ op->object, VIA_OBJECT };
	return (struct sync_edge){ 0, VIA_NOTHING };
}

static inline struct sync_edge annotation_edge(const struct wire_op *op, bool is_sent)
{
	if (op->mode == (is_sent ? ANNOTATION_HAPPENS_BEFORE : ANNOTATION_HAPPENS_AFTER))
		return (struct sync_edge){ op->object, VIA_ANNOTATION };
	return (struct sync_edge){ 0, VIA_NOTHING };
}

/*
 * The edge that leaves an operation (`is_sent`), or that comes in; `thread` makes the operation.
 * Edges by memory order (SYNC_RULE_order) are the caller's, because they need what the last
 * stores and fences left.
 */
static inline struct sync_edge op_edge(const struct wire_op *op, uint32_t thread, bool is_sent)
{
	struct sync_rules rules = sync_rules(op->kind);
	switch ((enum sync_rule)(is_sent ? rules.publishes : rules.receives)) {
	case SYNC_RULE_none:
	case SYNC_RULE_order:
		break;
	case SYNC_RULE_object:
		return (struct sync_edge){ op->object,
					   op_is_annotated(op) ? VIA_ANNOTATION : VIA_OBJECT };
	case SYNC_RULE_creation:
		return (struct sync_edge){ is_sent ? op->object : thread, VIA_CREATION };
	case SYNC_RULE_end:
		if (!is_sent && op->flags & EVF_FAILED)
			break; /* a join that found the thread alive */
		return (struct sync_edge){ is_sent ? thread : op->object, VIA_END };
	case SYNC_RULE_hidden:
		return hidden_edge(op, is_sent);
	case SYNC_RULE_annotation:
		return annotation_edge(op, is_sent);
	}
	return (struct sync_edge){ 0, VIA_NOTHING };
}

#endif
