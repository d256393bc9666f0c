/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronisation objects through a history; see objects.h. */
#include "explore/execution/objects.h"

#include "base/alloc.h"
#include "wire/fault.h"
#include "wire/kinds.h"

/* What an operation changes of the object that it is about (struct object_state). */
enum object_change_kind {
	CHANGE_NOTHING,
	CHANGE_LOCK,   /* its holder or readers */
	CHANGE_ORPHAN, /* its holder has ended */
	CHANGE_VALUE,  /* of a semaphore */
	CHANGE_LIFE,   /* it is initialised or destroyed */
	CHANGE_ASKING, /* which threads wait to write */
	CHANGE_END,    /* of a thread */
};

static enum object_change_kind change_of(const struct wire_op *op)
{
	switch ((enum event_kind)op->kind) {
	case EV_ACQUIRE:
	case EV_RELEASE:
		return CHANGE_LOCK;
	case EV_ORPHAN:
		return CHANGE_ORPHAN;
	CASES_OF_SEMAPHORES:
		return CHANGE_VALUE;
	CASES_OF_OBJECT_LIFE:
		return CHANGE_LIFE;
	case EV_HIDDEN:
		return op->mode == SYNC_WRLOCK ? CHANGE_ASKING : CHANGE_NOTHING;
	case EV_END:
		return CHANGE_END;
	/* between an acquire and a release of the control */
	CASES_OF_ONCE:
	/* not of an object that a thread can need */
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_FENCE:
	case EV_FLUSH:
	CASES_OF_BLOCKS:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
	case EV_FORK:
	case EV_BEGIN:
	CASES_OF_SIGNALS:
	case EV_INPUT:
	case EV_ANNOTATION:
	case EV_ASSUME:
	case EV_FAILURE:
	case EV_PROCESS_END:
	/* The state of the object stays the same, or threads that wait for it must be woken. */
	CASES_OF_ATTEMPTS:
	case EV_ASK:
	CASES_OF_CONDITIONS:
	CASES_OF_BARRIERS:
	case EV_CONSISTENT:
	case EV_JOIN:
	case EV_JOIN_WAIT:
	case EV_DETACH:
#define SYNC_OWN(NAME) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	return CHANGE_NOTHING;
}

static uint64_t thread_bit(uint32_t thread)
{
	return thread < 64 ? 1ull << thread : 0;
}

static void follow_lock(struct object_state *s, const struct wire_op *op, uint32_t thread)
{
	bool takes = op->kind == EV_ACQUIRE;
	if (sync_is_shared(op->mode)) {
		/* The operand is how often this thread holds it now; only its first and last count.
		 */
		if (FAULT(READERS_NOT_COUNTED))
			return;
		if (op->value == (takes ? 1 : 0))
			s->readers += takes ? 1 : (uint64_t)-1;
	} else if (takes) {
		s->holder_plus_one = thread + 1;
		s->asking &= ~thread_bit(thread);
	} else if (!op->value) {
		s->holder_plus_one = 0;
	}
}

void object_follow_op(struct object_state *s, const struct wire_op *op, uint32_t thread,
		      bool counts)
{
	if (change_of(op) == CHANGE_VALUE) {
		int64_t change = op->kind == EV_SEM_POST ? 1 : -1;
		if (!s->has_value)
			s->value = (int64_t)op->value - change;
		if (FAULT(SEMAPHORE_STARTS_LATE) && !s->has_value)
			s->value = (int64_t)op->value;
		s->has_value = true;
		s->value += counts ? change : 0;
		return;
	}
	if (!counts) {
		s->is_unmade |= op->kind == EV_SYNC_INIT && !s->is_made;
		return;
	}
	switch (change_of(op)) {
	case CHANGE_LOCK:
		follow_lock(s, op, thread);
		break;
	case CHANGE_ORPHAN:
		s->holder_plus_one = 0;
		break;
	case CHANGE_LIFE:
		*s = (struct object_state){ .is_made = op->kind == EV_SYNC_INIT,
					    .is_unmade = op->kind == EV_SYNC_DESTROY };
		break;
	case CHANGE_ASKING:
		if (op->value == WRITER_WAITS)
			s->asking |= thread_bit(thread);
		else
			s->asking &= ~thread_bit(thread);
		break;
	case CHANGE_END:
		s->has_ended = true;
		break;
	case CHANGE_VALUE: /* above */
	case CHANGE_NOTHING:
		break;
	}
}

bool object_is_free_for(const struct object_state *s, const struct wire_op *need, uint32_t thread)
{
	if (need->kind == EV_ACQUIRE) {
		if (s->holder_plus_one && s->holder_plus_one != thread + 1)
			return false;
		return sync_is_shared(need->mode) ? !s->readers || !s->asking : !s->readers;
	}
	if (need->kind == EV_SEM_WAIT)
		return s->value > 0;
	/* no other operation needs anything (op_need(), pause_need()) */
	return need->kind != EV_JOIN || s->has_ended;
}

bool object_is_asked_by(const struct object_state *s, uint32_t thread)
{
	return s->asking & thread_bit(thread);
}

void object_follow(struct object_state *s, struct object_name name, const struct move *m,
		   bool counts)
{
	const struct opset *ops = m->branch.ops;
	for (uint32_t k = 0; k < ops->count; k++)
		if (ops->ops[k].object == name.object && ops->prints[k].space == name.space)
			object_follow_op(s, &ops->ops[k], m->branch.thread, counts);
}

/* ---- what was left by each move ---- */

void objects_release(struct objects *o)
{
	for (size_t i = 0; i < o->logs.len; i++)
		vec_release(&o->logs.at[i].changes);
	vec_release(&o->logs);
	map_release(&o->of);
}

void objects_begin(struct objects *o, bool is_on)
{
	o->is_on = is_on;
	if (!is_on)
		return;
	map_clear(&o->of);
	o->logs_used = 0;
}

/* Addresses have no highest bit. */
static uint64_t key_of(struct object_name name)
{
	return name.object << 1 | (name.space == SPACE_THREAD);
}

static struct object_log *log_of(struct objects *o, struct object_name name)
{
	uint64_t *at = map_put(&o->of, key_of(name), NULL);
	if (!*at) {
		if (o->logs_used == o->logs.len)
			vec_add(&o->logs);
		o->logs.at[o->logs_used].changes.len = 0;
		*at = ++o->logs_used;
	}
	return &o->logs.at[*at - 1];
}

void objects_add(struct objects *o, const struct move *m, size_t number)
{
	const struct opset *ops = m->branch.ops;
	for (uint32_t k = 0; k < ops->count && o->is_on; k++) {
		struct object_name name = { ops->ops[k].object, ops->prints[k].space };
		if (change_of(&ops->ops[k]) == CHANGE_NOTHING ||
		    (name.space != SPACE_MEMORY && name.space != SPACE_THREAD))
			continue;
		struct object_log *log = log_of(o, name);
		struct object_change change = { .move = number };
		if (log->changes.len)
			change.after = vec_last(&log->changes).after;
		if (log->changes.len && vec_last(&log->changes).move == number)
			continue; /* all of the move was followed */
		object_follow(&change.after, name, m, true);
		vec_push(&log->changes, change);
	}
}

static bool counts_without(const struct moves *h, size_t first, size_t i)
{
	return i < first || (i > first && !moves_is_before(h, first, i));
}

struct object_state objects_without(const struct objects *o, const struct moves *h,
				    struct object_name name, size_t first, size_t end)
{
	struct object_state s = { 0 };
	if (!o->is_on) {
		for (size_t i = 0; i < end; i++)
			object_follow(&s, name, &h->moves.at[i], counts_without(h, first, i));
		return s;
	}
	const uint64_t *at = map_get(&o->of, key_of(name));
	if (!at)
		return s;
	const struct object_log *log = &o->logs.at[*at - 1];
	size_t behind = log->changes.len;
	while (behind && log->changes.at[behind - 1].move >= first)
		behind--;
	if (behind)
		s = log->changes.at[behind - 1].after;
	for (; behind < log->changes.len && log->changes.at[behind].move < end; behind++) {
		size_t i = log->changes.at[behind].move;
		object_follow(&s, name, &h->moves.at[i], counts_without(h, first, i));
	}
	return s;
}
