/* SPDX-License-Identifier: Apache-2.0 */
/* Locks while the events of a trace are executed: their holders, modes and depths. */
#include <stdarg.h>
#include <stdio.h>

#include "trace/consistency_state.h"
#include "wire/sync.h"

const char *consistency_flaw(struct consistency *c, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(c->flaw, sizeof(c->flaw), format, ap);
	va_end(ap);
	return c->flaw;
}

/*
 * Start a new, free lock at this address.  It gets a new index, so that shares of the old lock do
 * not count.
 */
void consistency_new_lock(struct consistency *c, uint64_t object)
{
	*map_put(&c->lock_of, object, NULL) = c->locks.len;
	vec_push(&c->locks, ((struct one_lock){ .owner = THR_NONE, .stamp = c->blocks }));
}

static size_t lock_at(struct consistency *c, uint64_t object)
{
	uint64_t *index = map_get(&c->lock_of, object);
	struct one_lock *l = index ? &c->locks.at[*index] : NULL;
	/* If its memory was allocated or freed since its last use, this is a new lock. */
	if (!l || (l->stamp != c->blocks && range_stamps_get(&c->lifetimes, object) > l->stamp)) {
		consistency_new_lock(c, object);
		return c->locks.len - 1;
	}
	l->stamp = c->blocks;
	return *index;
}

static uint64_t *share_at(struct consistency *c, size_t lock, thr_id thread)
{
	return map_put(&c->share_of, (uint64_t)lock << 20 | thread, NULL);
}

const char *consistency_acquire(struct consistency *c, const struct event *e, bool after_failure)
{
	size_t index = lock_at(c, e->obj);
	struct one_lock *l = &c->locks.at[index];
	uint64_t depth;
	if (l->owner != THR_NONE && l->owner != e->thread && !after_failure)
		return consistency_flaw(c, "T%u holds it", l->owner);
	if (sync_is_shared(e->mode) && l->owner != e->thread) {
		uint64_t *share = share_at(c, index, e->thread);
		l->readers += !*share;
		depth = ++*share;
	} else {
		if (l->readers && !after_failure)
			return consistency_flaw(c, "%llu thread%s it for reading",
						(unsigned long long)l->readers,
						l->readers == 1 ? " holds" : "s hold");
		depth = l->owner == e->thread ? l->depth + 1 : 1;
		l->owner = e->thread;
		l->depth = depth;
	}
	/* Events of annotated read locks have no depth. */
	if (e->a != depth && e->mode != SYNC_ANNOTATED_SHARED && !after_failure)
		return consistency_flaw(c, "its depth must be %llu", (unsigned long long)depth);
	return NULL;
}

static const char *release_share(struct consistency *c, const struct event *e, size_t index,
				 bool after_failure)
{
	struct one_lock *l = &c->locks.at[index];
	uint64_t *share = share_at(c, index, e->thread);
	bool may_be_any_reader = after_failure || e->mode == SYNC_ANNOTATED_SHARED;
	if (!*share && !(may_be_any_reader && l->readers))
		return after_failure
			       ? NULL
			       : consistency_flaw(c, "T%u does not hold it for reading", e->thread);
	if (*share && e->mode != SYNC_ANNOTATED_SHARED && e->a != *share - 1 && !after_failure)
		return consistency_flaw(c, "its depth must be %llu",
					(unsigned long long)*share - 1);
	if (!*share || !--*share)
		l->readers--;
	return NULL;
}

const char *consistency_release(struct consistency *c, const struct event *e, bool after_failure)
{
	size_t index = lock_at(c, e->obj);
	struct one_lock *l = &c->locks.at[index];
	if (sync_is_shared(e->mode))
		return release_share(c, e, index, after_failure);
	if (l->owner != e->thread && !after_failure)
		return l->owner == THR_NONE ? consistency_flaw(c, "it is not held")
					    : consistency_flaw(c, "T%u holds it", l->owner);
	uint64_t depth = l->owner == e->thread ? l->depth - 1 : 0;
	if (e->a != depth && !after_failure)
		return consistency_flaw(c, "its depth must be %llu", (unsigned long long)depth);
	l->depth = depth;
	if (!depth)
		l->owner = THR_NONE;
	return NULL;
}

const char *consistency_orphan(struct consistency *c, const struct event *e)
{
	struct one_lock *l = &c->locks.at[lock_at(c, e->obj)];
	if (l->owner != e->thread)
		return consistency_flaw(c, "T%u does not hold it", e->thread);
	l->owner = THR_NONE;
	l->depth = 0;
	return NULL;
}

/* A wait releases its mutex, by a release event that follows.  The mutex must be held. */
const char *consistency_wait(struct consistency *c, const struct event *e, bool after_failure)
{
	if (!e->a || after_failure)
		return NULL;
	const struct one_lock *l = &c->locks.at[lock_at(c, e->a)];
	return l->owner == e->thread
		       ? NULL
		       : consistency_flaw(c, "T%u does not hold the mutex", e->thread);
}
