/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that the validator imagines: threads, and locks and condition variables by their
 * address. */
#ifndef VALIDATOR_STATE_H
#define VALIDATOR_STATE_H

#include "event.h"

#define THREADS 65536
#define SIGNALS 65

/* Numbers of failures that explain what would be a violation otherwise. */
enum {
	FAIL_UNLOCK_OTHER = 11,
	FAIL_USE_DESTROYED = 14,
	FAIL_EXIT_HOLDING = 16,
	FAIL_FREE_LOCKED = 21,
	FAIL_REINIT_USED = 22,
	FAIL_TWO_HOLDERS = 48,
	FAIL_HOLDER_AND_READERS = 49
};
enum { TYPE_RECURSIVE = 2 };

/* What a thread's next event must be. */
enum next {
	NEXT_ANY,
	NEXT_BEGIN,
	NEXT_ACQUIRE,
	NEXT_RELEASE,
	NEXT_WAKE,
	NEXT_REQUEST,
	NEXT_SEM_WAIT,
	NEXT_BARRIER_OUT,
	NEXT_NOTHING,
	NEXT_CHECKED /* of a rule that looks at it itself */
};
static const char *const next_words[] = { "any",      "begin",	     "acquire",
					  "release",  "wake",	     "request",
					  "sem-wait", "barrier-out", "none, since it has ended" };

#define HANDLERS 8

struct thread {
	bool is_forked, is_joined, is_detached;
	bool was_signalled;  /* what it waits for, a signal or the end of a round, has come */
	bool is_last;	     /* it ended the round of the barrier */
	bool wants_to_write; /* it asks for an rwlock */
	bool may_give_up;    /* a handler has interrupted its wait for a semaphore */
	uint64_t creator;
	enum next next;
	uint64_t obj;	      /* that the next event must be about */
	uint64_t cond, mutex; /* that it waits with */
	uint64_t barrier;     /* that it stands at */
	uint64_t depth;	      /* at which it keeps that mutex while it waits */
	uint64_t clock;
	uint64_t clock_before_sleep; /* while is_asleep: its last event is a sleep */
	bool is_asleep;
	bool is_cancelled, is_leaving; /* it was asked to end; it does */
	uint64_t sent[SIGNALS];	       /* signals to it that it has not got yet */
	uint64_t handlers;	       /* that it runs, and what the outermost ones interrupted */
	struct handler {
		uint64_t signal, function;
		enum next next;
		uint64_t obj;
	} interrupted[HANDLERS];
	uint64_t failure, failure_obj; /* its last event, if that was a failure */
};

/* Is this to be its next event, once the handlers that it runs have ended? */
static bool awaits(const struct thread *t, enum next next)
{
	for (uint64_t i = 0; i < t->handlers && i < HANDLERS; i++)
		if (t->interrupted[i].next == next)
			return true;
	return t->next == next;
}

/* A reader's share of an rwlock. */
struct share {
	struct share *next;
	uint64_t thread, depth;
};

struct lock {
	struct lock *next;
	uint64_t addr, owner, depth, type, clock;
	uint64_t readers; /* annotated lock: how often it is held for reading */
	struct share *shares;
	uint64_t value; /* semaphore: NONE if not known yet */
	/* barrier; its type is how many threads it is for, 0: not known yet */
	uint64_t arrived, round_clock;
	bool is_destroyed;
	bool is_orphan, is_told; /* robust mutex: its owner has ended; the next one knows */
};

static struct thread threads[THREADS];
static uint64_t thread_total;
static struct lock *locks[1024];
static uint64_t running, last_hooks;

static struct lock **find_lock(uint64_t addr)
{
	struct lock **at = &locks[addr * 0x9e3779b97f4a7c15ull >> 54];
	while (*at && (*at)->addr != addr)
		at = &(*at)->next;
	return at;
}

static struct lock *lock_of(uint64_t addr)
{
	struct lock **at = find_lock(addr);
	if (!*at) {
		*at = zeroed(sizeof(**at));
		(*at)->addr = addr;
		(*at)->owner = (*at)->value = NONE;
	}
	return *at;
}

static void drop_shares(struct lock *l)
{
	while (l->shares) {
		struct share *dead = l->shares;
		l->shares = dead->next;
		free(dead);
	}
}

static bool is_held(const struct lock *l)
{
	return l->owner != NONE || l->shares;
}

/* Stacks: an object there may end with its frame, of which no event tells. */
static struct {
	uint64_t start, size;
} stack_regions[THREADS];
static uint64_t stack_region_count;

static void note_region(const char *line)
{
	uint64_t start, size;
	if (sscanf(line, "region %*u stack %" SCNi64 " %" SCNi64, (int64_t *)&start,
		   (int64_t *)&size) != 2 ||
	    stack_region_count == THREADS)
		return;
	stack_regions[stack_region_count].start = start;
	stack_regions[stack_region_count++].size = size;
}

static bool is_on_stack(uint64_t addr)
{
	for (uint64_t i = 0; i < stack_region_count; i++)
		if (addr - stack_regions[i].start < stack_regions[i].size)
			return true;
	return false;
}

static void raise_clock(uint64_t *clock, uint64_t other)
{
	if (other > *clock)
		*clock = other;
}

static bool explained_by(const struct thread *t, uint64_t failure, uint64_t obj)
{
	return t->failure == failure && t->failure_obj == obj;
}

#endif
