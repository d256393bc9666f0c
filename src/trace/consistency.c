/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A minimal abstract machine: threads with a state, locks with an owner or readers, memory bytes
 * as far as they are known.  It executes the events and stops at the first one that is impossible
 * in its state.
 *
 * The file is untrusted, so each event costs bounded time: the reader limits thread numbers,
 * ranges of memory become unknown in constant time (known.c), and no list is searched.
 */
#include "trace/consistency.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "trace/block.h"
#include "trace/buffers.h"
#include "trace/paths.h"
#include "trace/std.h"
#include "trace/known.h"
#include "wire/sync.h"

enum thread_state { THREAD_ABSENT, THREAD_CREATED, THREAD_ALIVE, THREAD_ENDED, THREAD_JOINED };

struct one_thread {
	uint8_t state;
	bool has_begun;	    /* it has a begin event */
	bool after_failure; /* its last event was a failure */
};

struct one_lock {
	thr_id owner; /* THR_NONE: not held exclusively */
	uint64_t depth, readers;
	uint64_t stamp; /* value of `blocks` when it was used last */
};

struct consistency {
	VEC(struct one_thread) threads;
	VEC(struct one_lock) locks;
	struct map lock_of;  /* object to index in locks */
	struct map share_of; /* lock index and thread to the depth of the thread's read lock */
	/* by byte: value of `blocks` at its last alloc, free or resize */
	struct range_stamps lifetimes;
	struct known known;
	struct paths paths;
	struct buffers buffers; /* stores that are not in memory yet */
	uint64_t blocks;	/* number of allocs, frees and resizes so far */
	thr_id running;
	enum { SWITCHES_UNDECIDED, SWITCHES_RECORDED, SWITCHES_ABSENT } switches;
	bool is_over;	    /* the process has ended */
	bool may_lack_ends; /* threads may have no end event */
	char flaw[256];
};

struct consistency *consistency_new(void)
{
	struct consistency *c = mem_zero(1, sizeof(*c));
	c->running = THR_NONE;
	return c;
}

void consistency_free(struct consistency *c)
{
	vec_release(&c->threads);
	vec_release(&c->locks);
	map_release(&c->lock_of);
	map_release(&c->share_of);
	range_stamps_release(&c->lifetimes);
	known_release(&c->known);
	paths_release(&c->paths);
	buffers_release(&c->buffers);
	mem_free(c);
}

void consistency_allow_missing_ends(struct consistency *c)
{
	c->may_lack_ends = true;
}

__attribute__((format(printf, 2, 3))) static const char *flaw(struct consistency *c,
							      const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(c->flaw, sizeof(c->flaw), fmt, ap);
	va_end(ap);
	return c->flaw;
}

static struct one_thread *thread_at(struct consistency *c, thr_id thread)
{
	vec_grow_zeroed(&c->threads, thread + 1ull);
	return &c->threads.at[thread];
}

/* ---- threads ---- */

static const char *follow_switch(struct consistency *c, const struct event *e)
{
	if (c->switches == SWITCHES_UNDECIDED)
		c->switches = SWITCHES_RECORDED;
	if (c->switches == SWITCHES_ABSENT)
		return NULL;
	if (c->running != THR_NONE && e->b != c->running)
		return flaw(c, "it names T%llu as the previous thread, but T%u was running",
			    (unsigned long long)e->b, c->running);
	return NULL;
}

static const char *follow_running(struct consistency *c, const struct event *e)
{
	if (e->thread == c->running || c->running == THR_NONE)
		return NULL;
	if (c->switches == SWITCHES_RECORDED)
		return flaw(c, "T%u is running, and no switch to T%u precedes it", c->running,
			    e->thread);
	c->switches = SWITCHES_ABSENT;
	return NULL;
}

static const char *follow_life(struct consistency *c, const struct event *e)
{
	struct one_thread *t = thread_at(c, e->thread);
	/* A deadlock is reported by the thread that ran last, which may have ended. */
	if (t->state == THREAD_ENDED && e->kind == EV_FAILURE)
		return NULL;
	if (t->state >= THREAD_ENDED)
		return flaw(c, "T%u has %s before", e->thread,
			    t->state == THREAD_ENDED ? "ended" : "been joined");
	if (e->kind == EV_BEGIN && t->state == THREAD_ALIVE)
		return flaw(c, "T%u has begun before", e->thread);
	t->state = THREAD_ALIVE;
	return NULL;
}

/* A thread number of an operand. */
static struct one_thread *other_thread(struct consistency *c, uint64_t thread)
{
	return thread < TRACE_THREADS_MAX ? thread_at(c, (thr_id)thread) : NULL;
}

static const char *follow_fork(struct consistency *c, const struct event *e)
{
	struct one_thread *t = other_thread(c, e->a);
	if (!t)
		return flaw(c, "T%llu is not a valid thread", (unsigned long long)e->a);
	if (t->state == THREAD_CREATED)
		return flaw(c, "T%llu has been created before", (unsigned long long)e->a);
	if (t->state != THREAD_ABSENT)
		return flaw(c, "T%llu has made events before", (unsigned long long)e->a);
	t->state = THREAD_CREATED;
	return NULL;
}

static const char *follow_join(struct consistency *c, const struct event *e)
{
	struct one_thread *t = other_thread(c, e->a);
	unsigned long long joined = e->a;
	if (!t)
		return flaw(c, "T%llu is not a valid thread", joined);
	if (t->state == THREAD_JOINED)
		return flaw(c, "T%llu has been joined before", joined);
	if (e->a == e->thread)
		return flaw(c, "T%llu joins itself", joined);
	if (t->has_begun && t->state != THREAD_ENDED && !c->may_lack_ends)
		return flaw(c, "T%llu has not ended yet", joined);
	t->state = THREAD_JOINED;
	return NULL;
}

/* ---- locks ---- */

/*
 * Start a new, free lock at this address.  It gets a new index, so that shares of the old lock do
 * not count.
 */
static void new_lock(struct consistency *c, uint64_t object)
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
		new_lock(c, object);
		return c->locks.len - 1;
	}
	l->stamp = c->blocks;
	return *index;
}

static uint64_t *share_at(struct consistency *c, size_t lock, thr_id thread)
{
	return map_put(&c->share_of, (uint64_t)lock << 20 | thread, NULL);
}

static const char *follow_acquire(struct consistency *c, const struct event *e, bool after_failure)
{
	size_t index = lock_at(c, e->obj);
	struct one_lock *l = &c->locks.at[index];
	uint64_t depth;
	if (l->owner != THR_NONE && l->owner != e->thread && !after_failure)
		return flaw(c, "T%u holds it", l->owner);
	if (sync_is_shared(e->mode) && l->owner != e->thread) {
		uint64_t *share = share_at(c, index, e->thread);
		l->readers += !*share;
		depth = ++*share;
	} else {
		if (l->readers && !after_failure)
			return flaw(c, "%llu thread%s it for reading",
				    (unsigned long long)l->readers,
				    l->readers == 1 ? " holds" : "s hold");
		depth = l->owner == e->thread ? l->depth + 1 : 1;
		l->owner = e->thread;
		l->depth = depth;
	}
	/* Events of annotated read locks have no depth. */
	if (e->a != depth && e->mode != SYNC_ANNOTATED_SHARED && !after_failure)
		return flaw(c, "its depth must be %llu", (unsigned long long)depth);
	return NULL;
}

static const char *release_share(struct consistency *c, const struct event *e, size_t index,
				 bool after_failure)
{
	struct one_lock *l = &c->locks.at[index];
	uint64_t *share = share_at(c, index, e->thread);
	bool may_be_any_reader = after_failure || e->mode == SYNC_ANNOTATED_SHARED;
	if (!*share && !(may_be_any_reader && l->readers))
		return after_failure ? NULL
				     : flaw(c, "T%u does not hold it for reading", e->thread);
	if (*share && e->mode != SYNC_ANNOTATED_SHARED && e->a != *share - 1 && !after_failure)
		return flaw(c, "its depth must be %llu", (unsigned long long)*share - 1);
	if (!*share || !--*share)
		l->readers--;
	return NULL;
}

static const char *follow_release(struct consistency *c, const struct event *e, bool after_failure)
{
	size_t index = lock_at(c, e->obj);
	struct one_lock *l = &c->locks.at[index];
	if (sync_is_shared(e->mode))
		return release_share(c, e, index, after_failure);
	if (l->owner != e->thread && !after_failure)
		return l->owner == THR_NONE ? flaw(c, "it is not held")
					    : flaw(c, "T%u holds it", l->owner);
	uint64_t depth = l->owner == e->thread ? l->depth - 1 : 0;
	if (e->a != depth && !after_failure)
		return flaw(c, "its depth must be %llu", (unsigned long long)depth);
	l->depth = depth;
	if (!depth)
		l->owner = THR_NONE;
	return NULL;
}

static const char *follow_orphan(struct consistency *c, const struct event *e)
{
	struct one_lock *l = &c->locks.at[lock_at(c, e->obj)];
	if (l->owner != e->thread)
		return flaw(c, "T%u does not hold it", e->thread);
	l->owner = THR_NONE;
	l->depth = 0;
	return NULL;
}

/* A wait releases its mutex, by a release event that follows.  The mutex must be held. */
static const char *follow_wait(struct consistency *c, const struct event *e, bool after_failure)
{
	if (!e->a || after_failure)
		return NULL;
	const struct one_lock *l = &c->locks.at[lock_at(c, e->a)];
	return l->owner == e->thread ? NULL : flaw(c, "T%u does not hold the mutex", e->thread);
}

/* ---- memory ---- */

/* The number of bytes from `address` on that the thread reads from one source: the same buffered
 * store of its own, or memory (*own is NULL). */
static uint64_t same_source(struct consistency *c, thr_id thread, uint64_t address, uint64_t size,
			    struct buffered **own)
{
	uint64_t n = 1;
	*own = buffers_newest(&c->buffers, thread, address);
	while (n < size && buffers_newest(&c->buffers, thread, address + n) == *own)
		n++;
	return n;
}

static bool has_buffer(const struct consistency *c, thr_id thread)
{
	return thread < c->buffers.threads.len && c->buffers.threads.at[thread].stores.len;
}

static const char *unexplained(struct consistency *c, const struct event *e, uint64_t where,
			       unsigned char has)
{
	return flaw(c, "no write explains byte %llu: it contains 0x%02x",
		    (unsigned long long)(where - e->obj), has);
}

static const char *follow_read(struct consistency *c, const struct event *e)
{
	unsigned char small[8], has;
	const unsigned char *bytes = event_bytes(e, false, small);
	struct buffered *own = NULL;
	for (uint64_t at = 0, n, where; bytes && at < e->size; at += n) {
		n = has_buffer(c, e->thread)
			    ? same_source(c, e->thread, e->obj + at, e->size - at, &own)
			    : e->size;
		if (!own) {
			if (!known_read(&c->known, e->obj + at, bytes + at, n, &where, &has))
				return unexplained(c, e, where, has);
			continue;
		}
		const unsigned char *stored =
			own->bytes ? own->bytes + (e->obj + at - own->obj) : NULL;
		for (uint64_t i = 0; stored && i < n; i++)
			if (stored[i] != bytes[at + i])
				return unexplained(c, e, e->obj + at + i, stored[i]);
	}
	return NULL;
}

/* Write to memory, or to the thread's own buffered store where it has a newer one. */
static void follow_write(struct consistency *c, const struct event *e)
{
	unsigned char small[8];
	const unsigned char *bytes = event_bytes(e, e->kind == EV_RMW, small);
	if (e->kind == EV_FLUSH || !has_buffer(c, e->thread)) {
		known_write(&c->known, e->obj, bytes, e->size);
		return;
	}
	struct buffered *own;
	for (uint64_t at = 0, n; at < e->size; at += n) {
		n = same_source(c, e->thread, e->obj + at, e->size - at, &own);
		if (!own)
			known_write(&c->known, e->obj + at, bytes ? bytes + at : NULL, n);
		else if (own->bytes && bytes)
			memcpy(own->bytes + (e->obj + at - own->obj), bytes + at, n);
	}
}

static const char *follow_buffered(struct consistency *c, const struct event *e)
{
	return buffers_write(&c->buffers, e)
		       ? NULL
		       : flaw(c, "T%u has %u stores in its buffer already", e->thread, BUFFERS_MAX);
}

static const char *follow_flush(struct consistency *c, const struct event *e)
{
	struct buffered s;
	unsigned char small[8];
	const unsigned char *bytes = event_bytes(e, false, small);
	if (!buffers_flush(&c->buffers, e, &s))
		return flaw(c, "T%llu has no such store in its buffer", (unsigned long long)e->b);
	bool is_same = !s.bytes || !bytes || !memcmp(s.bytes, bytes, e->size);
	buffered_release(&s);
	if (!is_same)
		return flaw(c, "T%llu has stored something else there", (unsigned long long)e->b);
	follow_write(c, e);
	return NULL;
}

static void follow_block(struct consistency *c, const struct event *e)
{
	uint64_t size = e->kind == EV_RESIZE && e->a > e->size ? e->a : e->size;
	uint64_t from = e->kind == EV_RESIZE ? (e->a < e->size ? e->a : e->size) : 0;
	if (size <= from || size > UINT64_MAX - e->obj)
		return;
	known_write(&c->known, e->obj + from, NULL, size - from);
	range_stamps_mark(&c->lifetimes, e->obj + from, e->obj + size - 1, ++c->blocks);
}

/* ---- all ---- */

static const char *follow(struct consistency *c, const struct event *e, bool after_failure)
{
	const char *wrong;
	switch ((enum event_kind)e->kind) {
	case EV_FORK:
		return follow_fork(c, e);
	case EV_BEGIN:
		thread_at(c, e->thread)->has_begun = true;
		return NULL;
	case EV_END:
		thread_at(c, e->thread)->state = THREAD_ENDED;
		return NULL;
	case EV_JOIN:
		return follow_join(c, e);
	case EV_ACQUIRE:
		return follow_acquire(c, e, after_failure);
	case EV_RELEASE:
		return follow_release(c, e, after_failure);
	case EV_ORPHAN:
		return follow_orphan(c, e);
	case EV_WAIT:
		return follow_wait(c, e, after_failure);
	case EV_SYNC_INIT:
		new_lock(c, e->obj);
		return NULL;
	case EV_READ:
		return follow_read(c, e);
	case EV_RMW:
		wrong = follow_read(c, e);
		if (!wrong && !(e->flags & EVF_FAILED))
			follow_write(c, e);
		return wrong;
	case EV_FLUSH:
		return follow_flush(c, e);
	case EV_WRITE:
		if (e->flags & EVF_BUFFERED)
			return follow_buffered(c, e);
		/* fall through */
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
		follow_write(c, e);
		return NULL;
	case EV_ALLOC:
	case EV_FREE:
	case EV_RESIZE:
		follow_block(c, e);
		return NULL;
	case EV_PROCESS_END:
		c->is_over = true;
		return NULL;
	/* Nothing that a later event could contradict is kept of these. */
	case EV_REQUEST:
	case EV_TRY_FAIL:
	case EV_TIMEOUT:
	case EV_SYNC_DESTROY:
	case EV_WAKE:
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_BARRIER_IN:
	case EV_BARRIER_OUT:
	case EV_SEM_POST:
	case EV_SEM_WAIT:
	case EV_ONCE_BEGIN:
	case EV_ONCE_END:
	case EV_CONSISTENT:
	case EV_ASK:
	case EV_HIDDEN:
	case EV_DETACH:
	case EV_JOIN_WAIT:
	case EV_CANCEL:
	case EV_CANCELLED:
	case EV_KILL:
	case EV_HANDLER_BEGIN:
	case EV_SIGNAL_TAKEN:
	case EV_FENCE:
	case EV_ANNOTATION:
	case EV_INPUT:
	case EV_ASSUME:
	case EV_FAILURE:
#define SYNC_OWN(NAME) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	return NULL;
}

const char *consistency_event(struct consistency *c, const struct event *e)
{
	if (c->is_over)
		return "the process has ended before";
	const char *wrong = e->kind == EV_SWITCH ? follow_switch(c, e) : follow_running(c, e);
	c->running = e->thread;
	if (wrong || e->kind == EV_SWITCH)
		return wrong;
	wrong = follow_life(c, e);
	if (wrong)
		return wrong;
	bool after_failure = c->threads.at[e->thread].after_failure;
	c->threads.at[e->thread].after_failure = e->kind == EV_FAILURE;
	return follow(c, e, after_failure);
}

int consistency_next(struct consistency *c, struct trace_reader *r, struct event *e,
		     struct err *err)
{
	int rc = trace_reader_next(r, e, err);
	if (rc == 1 && !e->index)
		c->may_lack_ends |= std_is_source(trace_reader_tables(r));
	const char *wrong = rc == 1 ? consistency_event(c, e) : NULL;
	uint64_t recorded, counted;
	if (rc == 1 && !wrong &&
	    !paths_follow(&c->paths, trace_reader_tables(r), e, &recorded, &counted))
		wrong = flaw(c, "it has the path %08llx, but the branches give %08llx",
			     (unsigned long long)recorded, (unsigned long long)counted);
	if (!wrong)
		return rc;
	struct buf line = { 0 };
	trace_text_event(e, &line);
	line.at[strcspn(line.at, "\n#")] = 0;
	rc = err_set(err, ERR_FORMAT, "%s, event %llu is inconsistent (%.200s): %s",
		     trace_reader_path(r), (unsigned long long)e->index, line.at, wrong);
	buf_release(&line);
	return rc;
}
