/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simplest machine that could have made the events: threads with a state, locks with an owner or readers,
 * bytes as far as they were told.  It steps through the events and stops at the first that it cannot make.
 *
 * Everything comes from a file that may be hostile: numbers of threads are limited by the reader, ranges of
 * memory are forgotten in constant time (told.c), and no list is ever searched.
 */
#include "trace/consistency.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "trace/block.h"
#include "trace/buffers.h"
#include "trace/paths.h"
#include "trace/std.h"
#include "trace/told.h"

enum thread_state { THREAD_ABSENT, THREAD_CREATED, THREAD_ALIVE, THREAD_ENDED, THREAD_JOINED };

struct one_thread {
	uint8_t state;
	bool has_begun;		/* by an event that says so */
	bool is_excused;	/* its last event was a failure */
};

struct one_lock {
	thr_id owner;		/* THR_NONE: nobody */
	uint64_t depth, readers;
	uint64_t stamp;		/* lives of its memory when it was used last */
};

struct consistency {
	VEC(struct one_thread) threads;
	VEC(struct one_lock) locks;
	struct map lock_of;	/* object to index in locks */
	struct map share_of;	/* index of the lock and thread to depth of a read lock */
	struct lives lives;	/* of memory, in bytes: blocks that came or went */
	struct told told;
	struct paths paths;
	struct buffers buffers;	/* what is not in memory yet */
	uint64_t blocks;	/* how many came or went */
	thr_id running;
	enum { SWITCHES_UNSEEN, SWITCHES_TOLD, SWITCHES_NOT_TOLD } switches;
	bool is_over;		/* the process has ended */
	bool lacks_ends;	/* ends of threads need not be told */
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
	lives_release(&c->lives);
	told_release(&c->told);
	paths_release(&c->paths);
	buffers_release(&c->buffers);
	mem_free(c);
}

void consistency_lacks_ends(struct consistency *c)
{
	c->lacks_ends = true;
}

__attribute__((format(printf, 2, 3))) static const char *flaw(struct consistency *c, const char *fmt, ...)
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
	if (c->switches == SWITCHES_UNSEEN)
		c->switches = SWITCHES_TOLD;
	if (c->switches == SWITCHES_NOT_TOLD)
		return NULL;
	if (c->running != THR_NONE && e->b != c->running)
		return flaw(c, "it says that T%llu ran before, but T%u did", (unsigned long long)e->b,
			    c->running);
	return NULL;
}

static const char *follow_running(struct consistency *c, const struct event *e)
{
	if (e->thread == c->running || c->running == THR_NONE)
		return NULL;
	if (c->switches == SWITCHES_TOLD)
		return flaw(c, "T%u runs, and no switch says that T%u goes on", c->running, e->thread);
	c->switches = SWITCHES_NOT_TOLD;
	return NULL;
}

static const char *follow_life(struct consistency *c, const struct event *e)
{
	struct one_thread *t = thread_at(c, e->thread);
	/* That nobody can go on is told by the one that ran last. */
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
		return flaw(c, "there can be no T%llu", (unsigned long long)e->a);
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
		return flaw(c, "there can be no T%llu", joined);
	if (t->state == THREAD_JOINED)
		return flaw(c, "T%llu has been joined before", joined);
	if (e->a == e->thread)
		return flaw(c, "T%llu joins itself", joined);
	if (t->has_begun && t->state != THREAD_ENDED && !c->lacks_ends)
		return flaw(c, "T%llu has not ended yet", joined);
	t->state = THREAD_JOINED;
	return NULL;
}

/* ---- locks ---- */

/* A lock that nobody holds, in place of what stood there; a new number, so that old shares do not count for
 * it. */
static void new_lock(struct consistency *c, uint64_t object)
{
	*map_put(&c->lock_of, object, NULL) = c->locks.len;
	vec_push(&c->locks, ((struct one_lock){ .owner = THR_NONE, .stamp = c->blocks }));
}

static size_t lock_at(struct consistency *c, uint64_t object)
{
	uint64_t *index = map_get(&c->lock_of, object);
	struct one_lock *l = index ? &c->locks.at[*index] : NULL;
	/* If the block around it has come or gone, what stands there now is another lock. */
	if (!l || (l->stamp != c->blocks && lives_stamp(&c->lives, object) > l->stamp)) {
		new_lock(c, object);
		return c->locks.len - 1;
	}
	l->stamp = c->blocks;
	return *index;
}

static bool is_shared(const struct event *e)
{
	return e->mode == SYNC_RDLOCK || e->mode == SYNC_ANNOTATED_SHARED;
}

static uint64_t *share_at(struct consistency *c, size_t lock, thr_id thread)
{
	return map_put(&c->share_of, (uint64_t)lock << 20 | thread, NULL);
}

static const char *follow_acquire(struct consistency *c, const struct event *e, bool is_excused)
{
	size_t index = lock_at(c, e->obj);
	struct one_lock *l = &c->locks.at[index];
	uint64_t depth;
	if (l->owner != THR_NONE && l->owner != e->thread && !is_excused)
		return flaw(c, "T%u holds it", l->owner);
	if (is_shared(e) && l->owner != e->thread) {
		uint64_t *share = share_at(c, index, e->thread);
		l->readers += !*share;
		depth = ++*share;
	} else {
		if (l->readers && !is_excused)
			return flaw(c, "%llu thread%s it for reading", (unsigned long long)l->readers,
				l->readers == 1 ? " holds" : "s hold");
		depth = l->owner == e->thread ? l->depth + 1 : 1;
		l->owner = e->thread;
		l->depth = depth;
	}
	/* Annotated read locks are told without depths. */
	if (e->a != depth && e->mode != SYNC_ANNOTATED_SHARED && !is_excused)
		return flaw(c, "its depth must be %llu", (unsigned long long)depth);
	return NULL;
}

static const char *release_share(struct consistency *c, const struct event *e, size_t index, bool is_excused)
{
	struct one_lock *l = &c->locks.at[index];
	uint64_t *share = share_at(c, index, e->thread);
	bool is_anybody = is_excused || e->mode == SYNC_ANNOTATED_SHARED;
	if (!*share && !(is_anybody && l->readers))
		return is_excused ? NULL : flaw(c, "T%u does not hold it for reading", e->thread);
	if (*share && e->mode != SYNC_ANNOTATED_SHARED && e->a != *share - 1 && !is_excused)
		return flaw(c, "its depth must be %llu", (unsigned long long)*share - 1);
	if (!*share || !--*share)
		l->readers--;
	return NULL;
}

static const char *follow_release(struct consistency *c, const struct event *e, bool is_excused)
{
	size_t index = lock_at(c, e->obj);
	struct one_lock *l = &c->locks.at[index];
	if (is_shared(e))
		return release_share(c, e, index, is_excused);
	if (l->owner != e->thread && !is_excused)
		return l->owner == THR_NONE ? flaw(c, "nobody holds it") : flaw(c, "T%u holds it", l->owner);
	uint64_t depth = l->owner == e->thread ? l->depth - 1 : 0;
	if (e->a != depth && !is_excused)
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

/* A wait gives up a mutex, which the release after it says; it must be held. */
static const char *follow_wait(struct consistency *c, const struct event *e, bool is_excused)
{
	if (!e->a || is_excused)
		return NULL;
	const struct one_lock *l = &c->locks.at[lock_at(c, e->a)];
	return l->owner == e->thread ? NULL : flaw(c, "T%u does not hold the mutex", e->thread);
}

/* ---- memory ---- */

/* How many bytes from this one on the thread sees in the same place: in one of its buffered stores, or in
 * memory. */
static uint64_t same_place(struct consistency *c, thr_id thread, uint64_t address, uint64_t size,
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
		n = has_buffer(c, e->thread) ? same_place(c, e->thread, e->obj + at, e->size - at, &own)
					     : e->size;
		if (!own) {
			if (!told_read(&c->told, e->obj + at, bytes + at, n, &where, &has))
				return unexplained(c, e, where, has);
			continue;
		}
		const unsigned char *stored = own->bytes ? own->bytes + (e->obj + at - own->obj) : NULL;
		for (uint64_t i = 0; stored && i < n; i++)
			if (stored[i] != bytes[at + i])
				return unexplained(c, e, e->obj + at + i, stored[i]);
	}
	return NULL;
}

/* Memory gets these bytes; where the thread has a newer store of its own, that one does. */
static void follow_write(struct consistency *c, const struct event *e)
{
	unsigned char small[8];
	const unsigned char *bytes = event_bytes(e, e->kind == EV_RMW, small);
	if (e->kind == EV_FLUSH || !has_buffer(c, e->thread)) {
		told_write(&c->told, e->obj, bytes, e->size);
		return;
	}
	struct buffered *own;
	for (uint64_t at = 0, n; at < e->size; at += n) {
		n = same_place(c, e->thread, e->obj + at, e->size - at, &own);
		if (!own)
			told_write(&c->told, e->obj + at, bytes ? bytes + at : NULL, n);
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
	told_write(&c->told, e->obj + from, NULL, size - from);
	lives_mark(&c->lives, e->obj + from, e->obj + size - 1, ++c->blocks);
}

/* ---- all ---- */

static const char *follow(struct consistency *c, const struct event *e, bool is_excused)
{
	const char *wrong;
	switch (e->kind) {
	case EV_FORK: return follow_fork(c, e);
	case EV_BEGIN: thread_at(c, e->thread)->has_begun = true; return NULL;
	case EV_END: thread_at(c, e->thread)->state = THREAD_ENDED; return NULL;
	case EV_JOIN: return follow_join(c, e);
	case EV_ACQUIRE: return follow_acquire(c, e, is_excused);
	case EV_RELEASE: return follow_release(c, e, is_excused);
	case EV_ORPHAN: return follow_orphan(c, e);
	case EV_WAIT: return follow_wait(c, e, is_excused);
	case EV_SYNC_INIT: new_lock(c, e->obj); return NULL;
	case EV_READ: return follow_read(c, e);
	case EV_RMW:
		wrong = follow_read(c, e);
		if (!wrong && !(e->flags & EVF_FAILED))
			follow_write(c, e);
		return wrong;
	case EV_FLUSH: return follow_flush(c, e);
	case EV_WRITE:
		if (e->flags & EVF_BUFFERED)
			return follow_buffered(c, e);
		/* fall through */
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE: follow_write(c, e); return NULL;
	case EV_ALLOC:
	case EV_FREE:
	case EV_RESIZE: follow_block(c, e); return NULL;
	case EV_PROCESS_END: c->is_over = true; return NULL;
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
	bool is_excused = c->threads.at[e->thread].is_excused;
	c->threads.at[e->thread].is_excused = e->kind == EV_FAILURE;
	return follow(c, e, is_excused);
}

int consistency_next(struct consistency *c, struct trace_reader *r, struct event *e, struct err *err)
{
	int rc = trace_reader_next(r, e, err);
	if (rc == 1 && !e->index)
		c->lacks_ends |= std_is_source(trace_reader_tables(r));
	const char *wrong = rc == 1 ? consistency_event(c, e) : NULL;
	uint64_t told, counted;
	if (rc == 1 && !wrong && !paths_follow(&c->paths, trace_reader_tables(r), e, &told, &counted))
		wrong = flaw(c, "it tells the path %08llx, but the branches make it %08llx",
			     (unsigned long long)told, (unsigned long long)counted);
	if (!wrong)
		return rc;
	struct buf line = {0};
	trace_text_event(e, &line);
	line.at[strcspn(line.at, "\n#")] = 0;
	rc = err_set(err, ERR_FORMAT, "%s, event %llu makes no sense (%.200s): %s", trace_reader_path(r),
		(unsigned long long)e->index, line.at, wrong);
	buf_release(&line);
	return rc;
}
