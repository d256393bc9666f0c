/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following a plan: turns, then a free run; see wire/explore.h for the terms.
 *
 * A thread that stands at a hook or is blocked has the number of its next step, or of the one that
 * it is in the middle of, in `step`: as many hooks as it had passed there.  Hooks at which the
 * scheduler is not asked (inside a call into libc) count and begin no step; their numbers name the
 * step that they are in, too.  So a turn is over when its thread comes to a step with a larger
 * number, and a thread that blocks, or ends, is at the end of its turn exactly if it does so in the
 * step that the turn names.
 *
 * The free run is a fair schedule: the running thread continues, then the ready one of the lowest
 * number, and buffered stores go to memory at the next hook of any thread. After FREE_SLICE hooks,
 * and when it yields, the next thread in turn runs, so that loops which wait for others end.
 * Sleeping threads are left out until an operation wakes them.
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/explore.h"
#include "rt/explore_list.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/rounds.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/start.h"
#include "rt/thread.h"
#include "wire/depend.h"
#include "wire/explore.h"
#include "wire/wire.h"

#define SLEEPERS_MAX 256 /* more than that do not sleep: work that was done is done again */
#define FREE_SLICE 500
#define SLICES 16 /* that a short execution has at least, so that every thread gets some */
#define SLICE_MIN 4

static RT_STATE struct wire_explore *shared;
static RT_STATE const struct wire_turn *turns;
static RT_STATE uint64_t turns_count, turn_next;
static RT_STATE const uint32_t *choices;
static RT_STATE uint64_t choices_count, choice_next;
static RT_STATE const struct wire_sleeper *sleepers;
static RT_STATE const struct wire_op *sleeper_ops;
static RT_STATE uint32_t sleepers_count, sleepers_asleep;
static RT_STATE struct thread *asleep[SLEEPERS_MAX]; /* NULL: awake */
static RT_STATE struct woken {
	struct thread *thread, *by;
	const struct wire_op *with; /* the entry of the list */
	uint64_t hooks;		    /* of the thread that was woken, as long as it has not run */
	uint64_t switches;	    /* explore_switches, as long as no store has left a buffer */
} woken[SLEEPERS_MAX];
RT_STATE uint64_t explore_switches;
static RT_STATE uint64_t first_hooks, hooks_limit;
static RT_STATE uint32_t slice, slice_left;
static RT_STATE bool holds_thread; /* one that would have started more threads than may be */

static const void *in_shared(uint64_t offset)
{
	return (const char *)shared + offset;
}

void explore_init(void)
{
	shared = (struct wire_explore *)((char *)g.session + g.session->explore_offset);
	g.exploring = !shared->is_recorded;
}

bool explore_counts_waits(void)
{
	if (FAULT(TIMED_WAIT_END_IS_STEP))
		return true;
	return shared->counts_waits;
}

/* ---- which threads can run ---- */

bool explore_is_ready(const struct thread *t)
{
	return (t->state == THREAD_READY && await_can_continue(t)) ||
	       (t->io.is_waiting && t->io.is_ready);
}

static struct thread *live_thread(uint32_t id)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->id == id)
			return rt_threads_live[i];
	return NULL;
}

static void diverge(void)
{
	shared->diverged_turn = turn_next;
	explore_end(EXPLORE_DIVERGED);
}

/* The next ready thread in turn after number `after`; a thread that would end the process comes
 * last. */
static struct thread *ready_after(uint32_t after, bool ends_process)
{
	struct thread *first = NULL;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (!explore_is_ready(t) || t->step.is_asleep ||
		    t->step.ends_process != ends_process)
			continue;
		if (t->id > after)
			return t;
		if (!first)
			first = t;
	}
	return first;
}

/* It waits with a deadline, which may be over at any time. */
static bool is_timed(const struct thread *t)
{
	return t->state == THREAD_BLOCKED && t->wait.is_timed && !t->io.is_waiting;
}

static struct thread *earliest_timed(void)
{
	struct thread *best = NULL;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (is_timed(t) && !t->step.is_asleep &&
		    (!best || t->time.deadline < best->time.deadline))
			best = t;
	}
	return best;
}

static bool store_is_asleep(const struct thread *t, uint32_t place)
{
	for (uint32_t i = 0; i < sleepers_count; i++)
		if (asleep[i] == t && sleepers[i].kind == TURN_FLUSH &&
		    (buffer_model == MEMORY_TSO ||
		     sleepers[i].location == buffer_location(t, place)))
			return true;
	return false;
}

/* A thread could continue but sleeps, so all continuations have been explored. */
static bool only_sleepers_can_run(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count && buffer_is_on(); i++)
		if (buffer_count(rt_threads_live[i]))
			return true; /* or it would have been flushed */
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->step.is_asleep && sched_can_run(rt_threads_live[i]))
			return true;
	return false;
}

/*
 * A thread that continues from an await, because something has changed, makes its next step at
 * once: what changed may change back, by another thread or by a flush.  A fence or a sleep before
 * that step does not let others run first, as no thread can observe it.
 */
static bool continues_at_once(const struct thread *t)
{
	bool sleeps = is_timed(t) && !t->wait.on && !t->wait.thread;
	if (FAULT(SLEEP_AFTER_AWAIT_IS_STEP))
		sleeps = false;
	return t->spin.passes && (sleeps || explore_is_ready(t));
}

/* In the free run; `gives_way`: the running thread has used up its slice. */
static struct thread *pick(bool gives_way)
{
	struct thread *self = g.cur, *to;
	if (outside_anyone_waits())
		outside_look();
	if (continues_at_once(self))
		return self;
	if (shared->free_run) {
		to = explore_random_pick(gives_way);
		return to ? to : sched_next_to_wake();
	}
	if (!gives_way && explore_is_ready(self) && !self->step.is_asleep &&
	    !self->step.ends_process && slice_left) {
		slice_left--;
		return self;
	}
	slice_left = slice;
	to = ready_after(self->state == THREAD_READY ? self->id : UINT32_MAX, false);
	if (!to)
		to = earliest_timed();
	if (!to)
		to = ready_after(UINT32_MAX, true);
	if (!to && only_sleepers_can_run())
		explore_end(EXPLORE_REDUNDANT);
	return to ? to : sched_next_to_wake();
}

/* In the free run no store waits, unless it sleeps. */
static void flush_awake(bool is_blocked)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		for (uint32_t place = 0; place < buffer_count(t);) {
			bool stays =
				shared->free_run && !is_blocked && explore_random_keeps_store();
			if (!buffer_may_flush(t, place) || store_is_asleep(t, place) || stays) {
				place++;
			} else {
				explore_switches++;
				buffer_flush_turn(t, place, is_blocked);
				place = 0; /* an older one may be awake now */
			}
		}
	}
}

static void fall_asleep(void)
{
	sleepers = in_shared(shared->sleepers_offset);
	sleeper_ops = in_shared(shared->sleeper_ops_offset);
	sleepers_count = shared->sleepers_count < SLEEPERS_MAX ? (uint32_t)shared->sleepers_count
							       : SLEEPERS_MAX;
	for (uint32_t i = 0; i < sleepers_count; i++) {
		struct thread *t = live_thread(sleepers[i].thread);
		asleep[i] = t;
		woken[i].thread = NULL;
		if (!t)
			continue;
		if (sleepers[i].kind == TURN_STEP)
			t->step.is_asleep = true;
		sleepers_asleep++;
	}
	g.has_sleepers = sleepers_asleep || g.uses_next_steps;
}

void explore_wake_sleepers(const struct wire_op *op)
{
	struct footprint used = op_footprint(op);
	if (g.uses_next_steps)
		explore_random_saw(op);
	if (used.space == SPACE_NONE && !op_needs_life(op))
		return;
	for (uint32_t i = 0; i < sleepers_count; i++) {
		struct thread *t = asleep[i];
		const struct wire_op *next = sleeper_ops + sleepers[i].first;
		bool is_own = t == g.cur && sleepers[i].kind == TURN_STEP && !explore_buffer_acts;
		for (uint32_t k = 0; t && !is_own && k < sleepers[i].count; k++) {
			struct footprint f = op_footprint(&next[k]);
			if (!footprints_depend(&used, &f) && !lives_depend(op, &next[k]))
				continue;
			if (sleepers[i].kind == TURN_STEP)
				t->step.is_asleep = false;
			woken[i] = (struct woken){ t, explore_buffer_acts ? NULL : g.cur, op,
						   t->step.hooks, explore_switches };
			asleep[i] = t = NULL;
			sleepers_asleep--;
		}
	}
	g.has_sleepers = sleepers_asleep || g.uses_next_steps;
}

void explore_sleep_again(const struct wire_op *from)
{
	for (uint32_t i = 0; i < sleepers_count; i++) {
		const struct woken *w = &woken[i];
		if (!w->thread)
			continue;
		bool is_step = sleepers[i].kind == TURN_STEP;
		bool has_acted = is_step ? w->hooks != w->thread->step.hooks
					 : w->switches != explore_switches;
		if (FAULT(WOKEN_BY_FAILED_ROUND_STAYS))
			has_acted = true;
		if (asleep[i] || w->by != g.cur || w->with < from || has_acted)
			continue;
		if (is_step)
			w->thread->step.is_asleep = true;
		asleep[i] = w->thread;
		sleepers_asleep++;
	}
	g.has_sleepers = sleepers_asleep || g.uses_next_steps;
}

bool explore_keeps_rounds(void)
{
	return shared->keeps_rounds && turn_next < turns_count;
}

/* The oldest store of its thread, PSO: to its location. */
static void flush_as_planned(const struct wire_turn *turn, bool is_blocked)
{
	struct thread *t = live_thread(turn->thread);
	uint32_t place = 0;
	while (t && buffer_model == MEMORY_PSO && place < buffer_count(t) &&
	       buffer_location(t, place) != turn->hook)
		place++;
	if (!t || !buffer_may_flush(t, place))
		diverge();
	explore_switches++;
	buffer_flush_turn(t, place, is_blocked);
}

/*
 * The plan wants a call to be made that would have to wait for a descriptor.  The explorer cannot
 * know that: to it, calls to the outside are operations on one object, which can be made in any
 * order.  It has asked for the call before another one that makes the descriptor ready, and that
 * order does not exist.  Nothing is lost, as a move that is not possible leads nowhere; so this
 * is no failure to follow the plan.  The schedule of an execution that is repeated to be shown
 * has been followed before, waits at its end included.
 */
static void refuse_if_io(const struct thread *t)
{
	if (FAULT(IO_WAIT_NOT_REFUSED))
		return;
	if (g.exploring && t->io.is_waiting && !t->wait.is_timed)
		explore_end(EXPLORE_REDUNDANT);
}

/*
 * A turn is over: which thread has the next one? After the last turn comes the free run. A plan may
 * end with a thread that is to look again at what it awaits, which it does in the step behind the
 * one at which it waits: no store of another thread comes before that. Either it has waited there,
 * which was listed then, or it finds that it can continue, and only the await is listed.
 */
static RT_STATE bool last_step_was_silent;
static struct thread *next_turn(bool yields, bool is_blocked)
{
	while (turn_next < turns_count && turns[turn_next].kind == TURN_FLUSH)
		flush_as_planned(&turns[turn_next++], is_blocked);
	if (turn_next >= turns_count) {
		if (turn_next == turns_count) {
			turn_next++;
			fall_asleep();
			if (buffer_is_on() && last_step_was_silent && !yields && !is_blocked &&
			    sched_can_run(g.cur) && !g.cur->step.is_asleep &&
			    await_can_continue(g.cur))
				return g.cur;
		}
		bool goes_on = continues_at_once(g.cur);
		if (FAULT(AWAIT_LOOK_IS_NOT_SILENT))
			goes_on = false;
		if (buffer_is_on() && !goes_on)
			flush_awake(is_blocked);
		return pick(yields);
	}
	const struct wire_turn *turn = &turns[turn_next];
	struct thread *t = live_thread(turn->thread);
	/* It has made that step, or has come to an await at its beginning and cannot go on. */
	if (t && (t->step.number > turn->hook ||
		  (t->step.number == turn->hook && !await_can_continue(t)))) {
		turn_next++;
		return next_turn(yields, is_blocked);
	}
	if (t && t->io.is_waiting)
		outside_look();
	if (t && !sched_can_run(t))
		refuse_if_io(t);
	if (!t || !sched_can_run(t))
		diverge();
	return t;
}

/* A thread that never runs shows nothing to reverse: a slice is a small part of the limit. */
static uint32_t slice_for(uint64_t limit)
{
	uint64_t part = limit / SLICES;
	return part > FREE_SLICE ? FREE_SLICE : part < SLICE_MIN ? SLICE_MIN : (uint32_t)part;
}

void explore_before_thread(void)
{
	if (!shared || !shared->thread_limit || fiber_threads_made() < shared->thread_limit)
		return;
	holds_thread = true;
	for (;;)
		sched_wait(NULL, NULL, NO_DEADLINE, false);
}

bool explore_holds_thread(void)
{
	return holds_thread;
}

void explore_begin(void)
{
	buffer_prepare(g.cur);
	g.watches = !shared->spins;
	rounds_begin(shared);
	await_prepare(g.cur);
	turns = in_shared(shared->turns_offset);
	turns_count = shared->turns_count;
	choices = in_shared(shared->choices_offset);
	choices_count = shared->choices_count;
	hooks_limit = shared->step_limit ? shared->step_limit : UINT64_MAX;
	first_hooks = rt_hooks();
	slice = slice_left = slice_for(hooks_limit);
	explore_after_await = NULL;
	shared->loop_hooks_count = 0;
	holds_thread = false;
	explore_random_begin(shared);
	g.op_next = (struct wire_op *)((char *)shared + shared->ops_offset);
	g.op_limit = g.op_next + shared->ops_room;
	next_turn(false, false); /* the main thread, or this is no plan for a program */
}

struct thread *explore_point(bool yields)
{
	struct thread *self = g.cur;
	last_step_was_silent = !g.step_is_listed || g.op_next == explore_after_await;
	if (FAULT(AWAIT_LOOK_IS_NOT_SILENT))
		last_step_was_silent = !g.step_is_listed;
	self->step.number = self->step.hooks;
	self->step.flags = 0;
	self->step.is_pure = false;
	g.step_is_listed = false;
	if (unlikely(rt_hooks() - first_hooks > hooks_limit))
		explore_end(EXPLORE_STEP_LIMIT);
	if (g.watches)
		await_point();
	if (turn_next < turns_count) {
		if (self->step.number <= turns[turn_next].hook && await_can_continue(self))
			return self;
		if (self->step.number < turns[turn_next].hook)
			diverge();
		turn_next++;
	}
	return next_turn(yields, false);
}

struct thread *explore_blocked(void)
{
	if (turn_next < turns_count) {
		if (turns[turn_next].hook > g.cur->step.hooks && is_timed(g.cur))
			return g.cur;
		if (turns[turn_next].hook < g.cur->step.number ||
		    turns[turn_next].hook > g.cur->step.hooks)
			diverge();
		if (!explore_cancellable()) /* otherwise that it waits is a move */
			refuse_if_io(g.cur);
		turn_next++;
	}
	return next_turn(false, true);
}

uint32_t explore_choice(uint32_t n)
{
	uint32_t chosen = 0;
	if (choice_next < choices_count)
		chosen = choices[choice_next++];
	else if (shared->free_run)
		chosen = explore_random_choice(n);
	if (chosen >= n)
		diverge();
	return chosen;
}

/* ---- the end ---- */

void explore_end(enum explore_end end)
{
	if (!g.exploring) /* recorded: what there is stands in the ring */
		rt_stop();
	const struct wire_op *first = in_shared(shared->ops_offset);
	/* it may not have begun */
	shared->ops_count = g.op_next ? (uint64_t)(g.op_next - first) : 0;
	shared->hooks = rt_hooks() - first_hooks;
	shared->end = end;
	explore_leave();
}

void explore_exit(int status)
{
	shared->exit_status = (uint32_t)status & 0xff;
	explore_end(EXPLORE_EXIT);
}

void explore_unsupported(const char *why)
{
	size_t n = rt_strlen(why);
	n = n < sizeof(shared->text) - 1 ? n : sizeof(shared->text) - 1;
	rt_memcpy(shared->text, why, n);
	shared->text[n] = 0;
	explore_end(EXPLORE_UNSUPPORTED);
}
