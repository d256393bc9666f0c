/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds of loops that poll and that await.c does not recognise, because something of their
 * thread's own changes in each round: a counter, what it has written, the time.  Each number of
 * such rounds is an execution of its own, so a search of a program with such a loop may have no
 * end.  Here they are counted; with a bound (wire_explore.round_limit) a thread that has made so
 * many rounds in a row waits as if it had been recognised, until something that it has read
 * changes.  That leaves executions out, and the result says so (wire_explore.polls): no search
 * with a round that was left out is complete.
 *
 * A round leads from a hook back to it, at the same depth of the stack.  It is unproductive if
 * the thread read shared memory, tried locks or made choices, and saw what it had seen there
 * before; stored nothing that others can read; and gave back the locks that it took.  Output,
 * sleeps, looks at a clock, waits with a deadline, stream locks and read-write locks that let
 * writers first are no obstacles here.
 *
 * The hook is chosen as in await.c: the present one, again after twice as many hooks if the
 * thread has not come back to it.  Whether a thread waits depends on nothing but its own path and
 * what it saw, as there.
 *
 * A lock that the round got by a try is one that it waits for to be taken, as in await.c.  One
 * that it got by a wait with a deadline is not: if it were taken, the thread would wait for it to
 * be free, and get it.
 *
 * A round that gives up a lock for some time, and has it again at its end, waits for a condition
 * variable with a deadline.  Such a thread cannot wait at its hook, where it keeps others from
 * the lock.  Its next wait has no deadline instead, until it is signalled.
 *
 * Loops of any kind.  The number of rounds of a loop that does something each time may have no
 * bound, either (`while (choice()) { lock; x++; unlock; }`).  With a bound for all loops
 * (wire_explore.loop_limit) a thread that has come so often to one hook, at one depth of the
 * stack, does not go on from there in this execution.  That is a function of the thread's own
 * path, so for the reduction the thread ends there.  Whether the hook lies in a loop is not
 * known: a function that is called many times from one caller counts as one, too.  Of the hooks
 * of a loop the first one is reached most often, and there the thread has no lock of the round.
 */
#include "rt/await.h"
#include "wire/fault.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/rounds.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/sync.h"
#include "wire/wire.h"

#define READS_MAX 64
#define LOCKS_MAX 4
#define VISITS_MAX 1024 /* hooks whose visits are counted; a power of two */
#define FIRST_HOOKS 4	/* after so many another hook is looked at, and then twice as many */

struct visits {
	pc_t pc;
	uintptr_t sp;
	uint32_t generation, count;
};

struct rounds {
	bool is_anchored;
	/* since the last visit: something was seen; something was new */
	bool has_looked, has_changed;
	pc_t pc;
	uintptr_t sp;
	uint32_t hooks, again;
	uint32_t count; /* unproductive rounds in a row */
	uint32_t reads_count;
	struct await_read reads[READS_MAX];
	uint32_t taken_count, given_count;
	uintptr_t taken[LOCKS_MAX]; /* locks of the round */
	uintptr_t given[LOCKS_MAX]; /* locks that it had before and has given up */
	bool has_given;		    /* since the last visit */
	bool begins_wait;	    /* for a condition: the release that comes next belongs to it */
	uint32_t generation;	    /* visits of others are of earlier executions */
	struct visits visits[VISITS_MAX];
};

static RT_STATE struct wire_explore *shared;

void rounds_begin(struct wire_explore *explore)
{
	shared = explore;
	shared->polls_count = shared->is_round_cut = 0;
}

static bool is_on(void)
{
	return shared && g.watches;
}

void rounds_effect(struct thread *t)
{
	struct rounds *r = t->spin.rounds;
	if (!r)
		return;
	r->is_anchored = r->has_looked = r->has_changed = r->has_given = r->begins_wait = false;
	r->count = r->reads_count = r->taken_count = r->given_count = 0;
	r->again = FIRST_HOOKS;
	t->spin.is_untimed = false;
}

void rounds_prepare(struct thread *t)
{
	t->spin.is_held = t->spin.is_untimed = false;
	/* The main thread is prepared before the snapshot is taken, which must know this address: a
	 * restart in place would forget it, and every execution would take more memory. */
	if (!t->spin.rounds && (g.exploring || is_on()))
		t->spin.rounds = rt_map_kept(sizeof(*t->spin.rounds));
	if (!is_on())
		return;
	t->spin.rounds->generation++;
	rounds_effect(t);
}

/* ---- what a round sees ---- */

/* The entry of that place or object; NULL: there is no room, and the rounds are forgotten. */
static struct await_read *entry(struct rounds *r, uintptr_t addr, uint32_t size, unsigned tries)
{
	uint32_t i = 0, kept = 0;
	while (i < r->reads_count &&
	       (r->reads[i].addr != addr || r->reads[i].size != size || r->reads[i].tries != tries))
		i++;
	if (i < r->reads_count)
		return &r->reads[i];
	r->has_changed = true;
	for (uint32_t k = 0; i == READS_MAX && k < r->reads_count; k++)
		if (!r->reads[k].is_old)
			r->reads[kept++] = r->reads[k];
	if (i == READS_MAX && kept == READS_MAX) {
		rounds_effect(g.cur);
		return NULL;
	}
	if (i == READS_MAX)
		r->reads_count = kept;
	struct await_read *new = &r->reads[r->reads_count++];
	*new = (struct await_read){ .addr = addr, .size = size, .tries = (uint8_t)tries };
	return new;
}

void rounds_read(uintptr_t addr, size_t size, pc_t pc)
{
	struct rounds *r = g.cur->spin.rounds;
	if (!r || !r->is_anchored)
		return;
	for (size_t at = 0; at < size; at += 8) {
		uint32_t n = size - at < 8 ? (uint32_t)(size - at) : 8;
		if (await_is_private(addr + at, n))
			continue;
		struct await_read *e = entry(r, addr + at, n, 0);
		if (!e)
			return;
		uint64_t v = 0;
		rt_memcpy(&v, (const void *)(addr + at), n);
		r->has_looked = true;
		r->has_changed |= e->value != v;
		e->value = e->last = v;
		e->is_old = false;
		e->pc = pc;
	}
}

static void tried(uintptr_t addr, unsigned mode, bool has_succeeded, pc_t pc)
{
	struct rounds *r = g.cur->spin.rounds;
	struct await_read *e = entry(r, addr, 1, mode);
	if (!e)
		return;
	r->has_looked = true;
	r->has_changed |= e->has_succeeded != has_succeeded;
	e->has_succeeded = has_succeeded;
	e->is_old = false;
	e->pc = pc;
}

/* ---- locks ---- */

static bool take_out(uintptr_t *list, uint32_t *count, uintptr_t lock)
{
	uint32_t i = 0;
	while (i < *count && list[i] != lock)
		i++;
	if (i == *count)
		return false;
	list[i] = list[--*count];
	return true;
}

static bool put_in(uintptr_t *list, uint32_t *count, uintptr_t lock)
{
	if (*count == LOCKS_MAX)
		return false;
	list[(*count)++] = lock;
	return true;
}

static void note_locked(uintptr_t addr, unsigned mode, pc_t pc)
{
	struct rounds *r = g.cur->spin.rounds;
	r->has_looked |= (g.cur->step.acquires_by & OPF_TIMED) != 0;
	if (!take_out(r->given, &r->given_count, addr) && !put_in(r->taken, &r->taken_count, addr))
		rounds_effect(g.cur);
	else if (g.cur->step.acquires_by & OPF_TRY)
		tried(addr, mode, true, pc);
}

static void unlocked(uintptr_t addr)
{
	struct rounds *r = g.cur->spin.rounds;
	if (take_out(r->taken, &r->taken_count, addr))
		return;
	/* The next anchor is where it has it no longer, unless it is about to get it back. */
	if (!r->begins_wait) {
		r->is_anchored = false;
		return;
	}
	r->begins_wait = false;
	r->has_given = true;
	if (!put_in(r->given, &r->given_count, addr))
		rounds_effect(g.cur);
}

/* A synchronisation of the running thread; `depth` of a lock that it takes or gives back. */
void rounds_sync(unsigned kind, uintptr_t object, unsigned mode, uint64_t depth, pc_t pc)
{
	struct rounds *r = g.cur->spin.rounds;
	if (!r || !r->is_anchored)
		return;
	switch (kind) {
	case EV_FENCE:
	case EV_BRANCH:
	case EV_YIELD:
	case EV_AWAIT:
	case EV_REQUEST:
	case EV_SLEEP:
	case EV_CLOCK:
	case EV_FRAME_LEFT:
		return;
	case EV_CHOICE:
		r->has_looked = true;
		return;
	case EV_WAIT:
		if (mode != SYNC_COND)
			break;
		r->begins_wait = true;
		return;
	case EV_TRY_FAIL:
	case EV_TIMEOUT:
		if (mode == SYNC_COND)
			return;
		if (!sync_is_lock(mode) && mode != SYNC_SEMAPHORE)
			break;
		tried(object, mode, false, pc);
		return;
	case EV_ACQUIRE:
		if (!sync_is_lock(mode))
			break;
		if (depth == 1)
			note_locked(object, mode, pc);
		return;
	case EV_RELEASE:
		if (!sync_is_lock(mode))
			break;
		if (!depth)
			unlocked(object);
		return;
	case EV_HIDDEN: /* depth: whether it is changed */
		if (!depth || mode == SYNC_STREAM || mode == SYNC_WRLOCK)
			return;
		break;
	}
	rounds_effect(g.cur);
}

/* ---- a round is over ---- */

static void note_poll(pc_t pc, uint32_t rounds, bool is_cut)
{
	shared->is_round_cut |= is_cut;
	uint32_t i = 0, count = shared->polls_count < WIRE_POLLS ? shared->polls_count : WIRE_POLLS;
	while (i < count && shared->polls[i].pc != pc)
		i++;
	if (i == WIRE_POLLS)
		return;
	struct wire_poll *p = &shared->polls[i];
	if (i == count) {
		*p = (struct wire_poll){ .pc = pc };
		shared->polls_count = i + 1;
	}
	p->rounds = p->rounds > rounds ? p->rounds : rounds;
	p->is_cut |= is_cut;
}

static void forget_visit(struct rounds *r)
{
	r->has_looked = r->has_changed = r->has_given = r->begins_wait = false;
	r->hooks = 0;
}

static void anchor(struct rounds *r)
{
	r->is_anchored = true;
	r->pc = g.hook_pc;
	r->sp = rt_hook_registers.sp;
	r->count = r->taken_count = r->given_count = 0;
	for (uint32_t i = 0; i < r->reads_count; i++)
		r->reads[i].is_old = true;
	forget_visit(r);
}

/* The thread has come back.  Gives whether it is to wait. */
static bool has_made_enough(struct rounds *r)
{
	if (!r->has_looked)
		return false; /* a loop inside that looks at nothing */
	bool is_round = !r->has_changed && !r->taken_count && !r->given_count;
	bool has_given = r->has_given;
	r->count = is_round ? r->count + 1 : 0;
	r->taken_count = r->given_count = 0;
	forget_visit(r);
	bool is_enough = shared->round_limit && r->count >= shared->round_limit;
	if (FAULT(ROUND_LIMIT_IGNORED))
		is_enough = false;
	if (r->count >= WIRE_POLL_ROUNDS || is_enough)
		note_poll(r->pc, r->count, is_enough);
	g.cur->spin.is_untimed = is_enough && has_given;
	return is_enough && !has_given;
}

/* ---- loops of any kind ---- */

/* How often the thread has come to this hook at this depth, now included; 0: there is no room. */
static uint32_t visit(struct rounds *r)
{
	uintptr_t sp = rt_hook_registers.sp;
	uint64_t hash = (g.hook_pc ^ sp << 20) * 0x9e3779b97f4a7c15ull;
	for (uint32_t i = 0; i < VISITS_MAX; i++) {
		struct visits *v = &r->visits[((hash >> 40) + i) % VISITS_MAX];
		if (v->generation != r->generation)
			*v = (struct visits){ g.hook_pc, sp, r->generation, 0 };
		if (v->pc == g.hook_pc && v->sp == sp)
			return ++v->count;
	}
	return 0;
}

static bool is_cut_here(struct rounds *r)
{
	uint32_t count = visit(r);
	if (count <= shared->loop_limit)
		return false;
	note_poll(g.hook_pc, count - 1, true);
	g.cur->spin.is_held = true;
	return true;
}

bool rounds_point(const struct await_read **reads, uint32_t *count)
{
	struct rounds *r = g.cur->spin.rounds;
	if (!r)
		return false;
	if (shared->loop_limit && is_cut_here(r)) {
		*count = 0;
		*reads = r->reads;
		return true;
	}
	if (r->is_anchored && r->pc == g.hook_pc && r->sp == rt_hook_registers.sp) {
		if (!has_made_enough(r))
			return false;
		*count = 0;
		for (uint32_t i = 0; i < r->reads_count; i++)
			if (!r->reads[i].is_old)
				r->reads[(*count)++] = r->reads[i];
		r->reads_count = *count;
		*reads = r->reads;
		g.cur->spin.is_held = true;
		return true;
	}
	if (!r->is_anchored) {
		anchor(r);
	} else if (++r->hooks >= r->again) {
		r->again *= 2;
		anchor(r);
	}
	return false;
}

/* The running thread goes on. */
void rounds_pass(void)
{
	struct rounds *r = g.cur->spin.rounds;
	g.cur->spin.is_held = false;
	r->count = 0;
	for (uint32_t i = 0; i < r->reads_count; i++)
		r->reads[i].is_old = true;
}

bool rounds_hold_any(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->spin.is_held ||
		    (rt_threads_live[i]->spin.is_untimed &&
		     rt_threads_live[i]->state == THREAD_BLOCKED))
			return true;
	return false;
}
