/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronisation objects through a history; see objects.h. */
#include "explore/execution/objects.h"

#include "base/alloc.h"
#include "explore/fault.h"

static bool is_shared(unsigned mode)
{
	return mode == SYNC_RDLOCK || mode == SYNC_ANNOTATED_SHARED;
}

static uint64_t thread_bit(uint32_t thread)
{
	return thread < 64 ? 1ull << thread : 0;
}

static void follow_lock(struct object_state *s, const struct wire_op *op, uint32_t thread)
{
	bool takes = op->kind == EV_ACQUIRE;
	if (is_shared(op->mode)) {
		/* The operand is how often this thread holds it now; only its first and last count.
		 */
		if (op->value == (takes ? 1 : 0) && !FAULT(32))
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
	if (op->kind == EV_SEM_POST || op->kind == EV_SEM_WAIT) {
		int64_t change = op->kind == EV_SEM_POST ? 1 : -1;
		if (!s->has_value)
			s->value = (int64_t)op->value - (FAULT(33) ? 0 : change);
		s->has_value = true;
		s->value += counts ? change : 0;
		return;
	}
	if (!counts) {
		s->is_unmade |= op->kind == EV_SYNC_INIT && !s->is_made;
		return;
	}
	switch (op->kind) {
	case EV_ACQUIRE:
	case EV_RELEASE:
		follow_lock(s, op, thread);
		break;
	case EV_ORPHAN:
		s->holder_plus_one = 0;
		break;
	case EV_SYNC_INIT:
	case EV_SYNC_DESTROY:
		*s = (struct object_state){ .is_made = op->kind == EV_SYNC_INIT,
					    .is_unmade = op->kind == EV_SYNC_DESTROY };
		break;
	case EV_HIDDEN:
		if (op->mode == SYNC_WRLOCK && op->value == ASKS)
			s->asking |= thread_bit(thread);
		else if (op->mode == SYNC_WRLOCK)
			s->asking &= ~thread_bit(thread);
		break;
	case EV_END:
		s->has_ended = true;
		break;
	default:
		break;
	}
}

bool object_is_free_for(const struct object_state *s, const struct wire_op *need, uint32_t thread)
{
	switch (need->kind) {
	case EV_ACQUIRE:
		if (s->holder_plus_one && s->holder_plus_one != thread + 1)
			return false;
		return is_shared(need->mode) ? !s->readers || !s->asking : !s->readers;
	case EV_SEM_WAIT:
		return s->value > 0;
	case EV_JOIN:
		return s->has_ended;
	default:
		return true;
	}
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

/* Whether the operation makes a difference to object_follow_op(). */
static bool is_followed(const struct wire_op *op)
{
	switch (op->kind) {
	case EV_SEM_POST:
	case EV_SEM_WAIT:
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_ORPHAN:
	case EV_SYNC_INIT:
	case EV_SYNC_DESTROY:
	case EV_END:
		return true;
	case EV_HIDDEN:
		return op->mode == SYNC_WRLOCK;
	default:
		return false;
	}
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
		if (!is_followed(&ops->ops[k]) ||
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
