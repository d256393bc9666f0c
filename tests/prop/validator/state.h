/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that the validator imagines: threads, and locks and condition variables by their address. */
#ifndef VALIDATOR_STATE_H
#define VALIDATOR_STATE_H

#include "event.h"

#define THREADS 65536

/* Numbers of failures that explain what would be a violation otherwise. */
enum { FAIL_UNLOCK_OTHER = 11, FAIL_USE_DESTROYED = 14, FAIL_EXIT_HOLDING = 16, FAIL_FREE_LOCKED = 21,
	FAIL_TWO_HOLDERS = 48, FAIL_HOLDER_AND_READERS = 49 };
enum { TYPE_RECURSIVE = 2 };

/* What a thread's next event must be. */
enum next { NEXT_ANY, NEXT_BEGIN, NEXT_ACQUIRE, NEXT_RELEASE, NEXT_WAKE, NEXT_REQUEST, NEXT_NOTHING };
static const char *const next_words[] = { "any", "begin", "acquire", "release", "wake", "request",
	"none, since it has ended" };

struct thread {
	bool is_forked, is_joined, is_detached, was_signalled;
	uint64_t creator;
	enum next next;
	uint64_t obj; /* that the next event must be about */
	uint64_t cond, mutex; /* that it waits with */
	uint64_t depth; /* of the mutex before the wait */
	uint64_t clock;
	uint64_t clock_before_sleep; /* while is_asleep: its last event is a sleep */
	bool is_asleep, is_cancelled;
	uint64_t sent[65]; /* signals to it that it has not got yet */
	uint64_t handlers; /* that it runs */
	uint64_t failure, failure_obj; /* its last event, if that was a failure */
};

struct lock {
	struct lock *next;
	uint64_t addr, owner, depth, readers, type, clock;
	bool is_destroyed;
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
		(*at)->owner = NONE;
	}
	return *at;
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
