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

#include <string.h>

#include "trace/block.h"
#include "trace/consistency_state.h"
#include "trace/std.h"
#include "wire/kinds.h"

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
		return consistency_flaw(
			c, "it names T%llu as the previous thread, but T%u was running",
			(unsigned long long)e->b, c->running);
	return NULL;
}

static const char *follow_running(struct consistency *c, const struct event *e)
{
	if (e->thread == c->running || c->running == THR_NONE)
		return NULL;
	if (c->switches == SWITCHES_RECORDED)
		return consistency_flaw(c, "T%u is running, and no switch to T%u precedes it",
					c->running, e->thread);
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
		return consistency_flaw(c, "T%u has %s before", e->thread,
					t->state == THREAD_ENDED ? "ended" : "been joined");
	if (e->kind == EV_BEGIN && t->state == THREAD_ALIVE)
		return consistency_flaw(c, "T%u has begun before", e->thread);
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
		return consistency_flaw(c, "T%llu is not a valid thread", (unsigned long long)e->a);
	if (t->state == THREAD_CREATED)
		return consistency_flaw(c, "T%llu has been created before",
					(unsigned long long)e->a);
	if (t->state != THREAD_ABSENT)
		return consistency_flaw(c, "T%llu has made events before",
					(unsigned long long)e->a);
	t->state = THREAD_CREATED;
	return NULL;
}

static const char *follow_join(struct consistency *c, const struct event *e)
{
	struct one_thread *t = other_thread(c, e->a);
	unsigned long long joined = e->a;
	if (!t)
		return consistency_flaw(c, "T%llu is not a valid thread", joined);
	if (t->state == THREAD_JOINED)
		return consistency_flaw(c, "T%llu has been joined before", joined);
	if (e->a == e->thread)
		return consistency_flaw(c, "T%llu joins itself", joined);
	if (t->has_begun && t->state != THREAD_ENDED && !c->may_lack_ends)
		return consistency_flaw(c, "T%llu has not ended yet", joined);
	t->state = THREAD_JOINED;
	return NULL;
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
	return consistency_flaw(c, "no write explains byte %llu: it contains 0x%02x",
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

static const char *follow_rmw(struct consistency *c, const struct event *e)
{
	const char *wrong = follow_read(c, e);
	if (!wrong && !(e->flags & EVF_FAILED))
		follow_write(c, e);
	return wrong;
}

static const char *follow_buffered(struct consistency *c, const struct event *e)
{
	return buffers_write(&c->buffers, e)
		       ? NULL
		       : consistency_flaw(c, "T%u has %u stores in its buffer already", e->thread,
					  BUFFERS_MAX);
}

static const char *follow_flush(struct consistency *c, const struct event *e)
{
	struct buffered s;
	unsigned char small[8];
	const unsigned char *bytes = event_bytes(e, false, small);
	if (!buffers_flush(&c->buffers, e, &s))
		return consistency_flaw(c, "T%llu has no such store in its buffer",
					(unsigned long long)e->b);
	bool is_same = !s.bytes || !bytes || !memcmp(s.bytes, bytes, e->size);
	buffered_release(&s);
	if (!is_same)
		return consistency_flaw(c, "T%llu has stored something else there",
					(unsigned long long)e->b);
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
		return consistency_acquire(c, e, after_failure);
	case EV_RELEASE:
		return consistency_release(c, e, after_failure);
	case EV_ORPHAN:
		return consistency_orphan(c, e);
	case EV_WAIT:
		return consistency_wait(c, e, after_failure);
	case EV_SYNC_INIT:
		consistency_new_lock(c, e->obj);
		return NULL;
	case EV_READ:
		return follow_read(c, e);
	case EV_RMW:
		return follow_rmw(c, e);
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
	CASES_OF_BLOCKS:
		follow_block(c, e);
		return NULL;
	case EV_PROCESS_END:
		c->is_over = true;
		return NULL;
	/* Nothing that a later event could contradict is kept of these. */
	CASES_OF_ATTEMPTS:
	case EV_SYNC_DESTROY:
	case EV_WAKE:
	case EV_SIGNAL:
	case EV_BROADCAST:
	CASES_OF_BARRIERS:
	CASES_OF_SEMAPHORES:
	CASES_OF_ONCE:
	case EV_CONSISTENT:
	case EV_ASK:
	case EV_HIDDEN:
	case EV_DETACH:
	case EV_JOIN_WAIT:
	CASES_OF_SIGNALS:
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
		wrong = consistency_flaw(c, "it has the path %08llx, but the branches give %08llx",
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
