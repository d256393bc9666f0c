/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random free runs (wire/explore.h): the thread that runs after a hook is drawn, in one of four
 * ways.
 *
 *   random   each thread that can run has the same chance.
 *   pct      threads have random priorities and the highest runs; at `changes` hooks, drawn from
 *            `length`, the running one gets a lower one (Burckhardt, Kothari, Musuvathi,
 *            Nagarakatte: "A randomized scheduler with probabilistic guarantees of finding bugs",
 *            ASPLOS 2010).  A thread that yields, or runs for very long, becomes the lowest, too.
 *   few      the running thread continues until it is blocked or yields; a random one follows.  At
 *            `changes` hooks, drawn from `length`, it is preempted.
 *   pos      each step has a random priority of its own, drawn when its thread comes to it, and
 *            the highest runs.  After it the priorities of those next steps of other threads are
 *            drawn anew that race with it (partial order sampling; Yuan, Yang, Gu: "Partial order
 *            aware concurrency sampling", CAV 2018, section 4).  Without that, a thread that lost
 *            against one step would be likely to lose against the next, too.  The footprint of the
 *            next step is known for accesses and for calls on a lock or semaphore.  Any other call
 *            of libc, and a thread that waits, is assumed to race with each step that is not an
 *            access to memory.
 *
 * Waits with a deadline may end at any time, each store leaves its buffer with a fixed chance, and
 * a thread that would end the process comes last, as in each free run.  All random numbers come
 * from the seed of the execution.
 */
#include "rt/chunk.h"
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/hot.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/thread.h"
#include "wire/depend.h"
#include "wire/explore.h"
#include "wire/wire.h"

#define CHANGES_MAX 64
/* a thread that runs for more hooks than these in a row becomes the lowest */
#define HOOKS_MAX 10000
#define LOWEST (1u << 31)

static RT_STATE const struct wire_explore *shared;
static RT_STATE uint64_t state;
static RT_STATE uint64_t change_at[CHANGES_MAX]; /* numbers of hooks */
static RT_STATE uint64_t
	change_to[CHANGES_MAX]; /* pct: priorities, as random as the places (pct.c) */
static RT_STATE uint32_t changes;
static RT_STATE uint64_t hooks, lowest, same_since;

static uint64_t next_random(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t n)
{
	return (uint64_t)((unsigned __int128)next_random() * n >> 64);
}

void explore_random_begin(const struct wire_explore *explore)
{
	shared = explore;
	state = shared->free_run_seed;
	changes = shared->free_run_changes < CHANGES_MAX ? (uint32_t)shared->free_run_changes
							 : CHANGES_MAX;
	for (uint32_t i = 0; i < changes; i++)
		change_at[i] = 1 + below(shared->free_run_length ? shared->free_run_length : 1);
	for (uint32_t i = 0; i < changes && shared->free_run == FREE_RUN_PCT; i++)
		change_to[i] = LOWEST + below(LOWEST);
	hooks = same_since = 0;
	lowest = LOWEST;
	g.uses_next_steps = g.exploring && shared->free_run == FREE_RUN_POS;
	g.has_sleepers |= g.uses_next_steps;
}

uint32_t explore_random_choice(uint32_t n)
{
	return (uint32_t)below(n);
}

/* Priorities from 2^32 on are drawn; those below come from changes, and those below LOWEST are of
 * threads that have become the lowest, each lower than the last. */
static uint64_t priority_of(struct thread *t)
{
	if (!t->step.free_priority)
		t->step.free_priority = (1ull << 32) + (next_random() >> 32);
	return t->step.free_priority;
}

static bool is_candidate(const struct thread *t, bool ends_process)
{
	bool is_timed = t->state == THREAD_BLOCKED && t->wait.is_timed && !t->io.is_waiting;
	return t->step.ends_process == ends_process && (explore_is_ready(t) || is_timed);
}

/* One of those that can continue, with the same chance for each; NULL: none but `except` can. */
static struct thread *draw(bool ends_process, const struct thread *except)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		n += rt_threads_live[i] != except && is_candidate(rt_threads_live[i], ends_process);
	if (!n)
		return NULL;
	uint64_t chosen = below(n);
	for (uint32_t i = 0;; i++) {
		struct thread *t = rt_threads_live[i];
		if (t != except && is_candidate(t, ends_process) && !chosen--)
			return t;
	}
}

static struct thread *highest(bool ends_process)
{
	struct thread *best = NULL;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (is_candidate(t, ends_process) && (!best || priority_of(t) > priority_of(best)))
			best = t;
	}
	return best;
}

/* What the hook that the running thread has come to means for priorities. */
static void change_priorities(bool yields)
{
	hooks++;
	if (shared->free_run == FREE_RUN_POS) {
		g.cur->step.free_priority = 0;
		return;
	}
	bool is_lowest = yields || hooks - same_since > HOOKS_MAX;
	for (uint32_t i = 0; i < changes; i++) {
		if (change_at[i] == hooks) {
			g.cur->step.free_priority = change_to[i];
			same_since = hooks;
		}
	}
	if (is_lowest) {
		g.cur->step.free_priority = --lowest;
		same_since = hooks;
	}
}

static bool is_access(const struct wire_op *op)
{
	return op->kind == EV_READ || op->kind == EV_WRITE || op->kind == EV_RMW ||
	       op->kind == EV_FLUSH;
}

void explore_random_saw(const struct wire_op *op)
{
	struct footprint done = op_footprint(op);
	if (done.space == SPACE_NONE)
		return;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		struct footprint next = { t->step.next_addr, t->step.next_addr + t->step.next_size,
					  SPACE_MEMORY,
					  t->step.next_changes ? USE_CHANGE : USE_READ };
		bool is_known = t->step.next_size;
		if (FAULT(POS_REDRAWS_FOR_OTHER_LOCKS) && t->step.next_size == 1)
			is_known = false;
		bool races = is_known ? footprints_depend(&done, &next) : !is_access(op);
		if (FAULT(POS_KEEPS_PRIORITIES))
			continue;
		if (t != g.cur && races)
			t->step.free_priority = 0;
	}
}

/* The running thread until it is interrupted or cannot go on, then another one. */
static struct thread *pick_few(bool yields)
{
	hooks++;
	bool is_interrupted = yields || hooks - same_since > HOOKS_MAX;
	for (uint32_t i = 0; i < changes; i++)
		is_interrupted |= change_at[i] == hooks;
	if (!is_interrupted && !g.cur->step.ends_process && explore_is_ready(g.cur))
		return g.cur;
	same_since = hooks;
	struct thread *to = draw(false, g.cur);
	if (!to)
		to = draw(false, NULL);
	return to ? to : draw(true, NULL);
}

struct thread *explore_random_pick(bool yields)
{
	struct thread *to;
	if (shared->free_run == FREE_RUN_FEW)
		return pick_few(yields);
	if (shared->free_run == FREE_RUN_RANDOM) {
		to = draw(false, NULL);
		return to ? to : draw(true, NULL);
	}
	change_priorities(yields);
	to = highest(false);
	to = to ? to : highest(true);
	if (to && to != g.cur)
		same_since = hooks;
	return to;
}

bool explore_random_keeps_store(void)
{
	return below(2);
}
