/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler. It decides in two situations: at a hook whose number the policy has picked in
 * advance (the budget of hooks until then is counted down), and when the running thread cannot
 * continue. Each switch is an EV_SWITCH event with the number of raw hooks so far, from which the
 * same schedule can be forced again.
 *
 * random       preempts at hooks drawn with mean distance `preempt`; the next thread is drawn
 *              uniformly
 * pct          each thread has a random priority, and the highest that can run does.  At `preempt`
 *              hooks, drawn in advance, the running thread gets a lower one (pct.h).  A thread that
 *              yields, or runs for very long while others wait, gets the lowest, so that spinning
 *              ends.
 * roundrobin   after each `preempt` hooks the next thread in order of creation
 * replay       as the schedule says
 * explore      as the plan says (explore.c), asked at each hook
 *
 * Where stores are buffered (buffer.c) each hook asks, since it may be the one before a store.
 * The schedule then also says when a store reaches memory: random and pct draw that at their
 * stops, roundrobin flushes the oldest store of each thread.
 *
 * Above 500 lines for a reason: short turns are the most frequent path through the runtime after
 * plain accesses.  The policies, the choice of the next thread and the waits share the state below
 * and are inlined into one another; divided, each switch would cost several calls.
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/cancel.h"
#include "rt/clock.h"
#include "rt/debug.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/libc_refused.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/pct.h"
#include "rt/ring.h"
#include "rt/rounds.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/signal_outside.h"
#include "rt/signals.h"
#include "rt/start.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "rt/timer.h"
#include "wire/explore.h"
#include "wire/wire.h"

/* On the hook stack, by their names without _here (hook_stack.S). */
void sched_point_here(void);
enum wait_end sched_wait_here(struct sync *on, struct thread *other, uint64_t deadline,
			      bool cancellable);
enum wait_end sched_wait_io_here(uint64_t deadline);
uint32_t sched_choose_here(uint32_t n, pc_t pc);
void sched_add_here(struct thread *t);
void sched_exit_thread_here(void);

#define NEVER UINT64_MAX
#define LIVE_MAX 4096
/* a thread that runs for more hooks than these, and than the expected length, becomes the lowest */
#define PCT_HOOKS_MAX 100000
/* preemptions that are as rare as that come more often at the beginning, see random_gap() */
#define RARE 10
#define GROWTH 16
#define LISTEN_EVERY 4096 /* hooks, for signals from outside */
#define SLEEPERS_TURN 16  /* one of so many decisions may end a sleep while others can run */

RT_KEPT struct thread *rt_threads_live[LIVE_MAX];
RT_STATE uint32_t rt_threads_live_count;

static RT_STATE uint64_t random_state;
static RT_STATE uint32_t policy;
static RT_STATE uint64_t preempt;
static RT_STATE uint64_t step_limit;
static RT_STATE uint64_t policy_stop; /* what the policy asked for, without the step limit */
static RT_STATE uint32_t lowest_priority;
static RT_STATE uint64_t pct_demote_after; /* hooks after which a thread becomes the lowest */
/* hooks that were passed while only one thread lived, up to the time when a second one began */
static RT_STATE uint64_t alone_hooks;
static RT_STATE uint64_t alone_since;
static RT_STATE bool yield_wanted;
static RT_STATE bool priority_wanted; /* pct: a thread of a higher priority has become ready */
static RT_STATE const struct wire_step *schedule;
static RT_STATE uint64_t schedule_count, schedule_next;
static RT_STATE const uint32_t *choices;
static RT_STATE uint64_t choices_count, choices_next;

static uint64_t random_next(void)
{
	/* SplitMix64: any seed gives a good sequence. */
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t random_below(uint64_t n)
{
	return (uint64_t)((unsigned __int128)random_next() * n >> 64);
}

uint64_t sched_concurrent_hooks(void)
{
	return (rt_threads_live_count < 2 ? alone_since : rt_hooks()) - alone_hooks;
}

/*
 * Distance to the next preemption: uniform on 1 .. 2*mean-1.  The mean is `preempt`, but for one
 * that is rare it grows to that from 1, in proportion to the hooks passed: a program whose threads
 * pass twenty hooks would end before the first preemption.
 */
static uint64_t random_gap(void)
{
	uint64_t mean = preempt;
	if (preempt >= RARE) {
		uint64_t grown = 1 + sched_concurrent_hooks() / GROWTH;
		mean = grown < preempt ? grown : preempt;
	}
	return 1 + random_below(2 * mean - 1);
}

/* Hooks before the one that makes the total `at` need not ask. */
static inline void set_budget(uint64_t at)
{
	uint64_t now = rt_hooks();
	if (step_limit && step_limit < at)
		at = step_limit;
	uint64_t pass = at > now + 1 && !buffer_is_on() && !g.watches ? at - now - 1 : 0;
	if (unlikely(g.session->signals_heard) && pass > LISTEN_EVERY)
		pass = LISTEN_EVERY;
	/* one less: hooks.S adds one for a moment */
	g.budget = (int64_t)(pass >= INT64_MAX ? INT64_MAX - 1 : pass);
	g.hooks_bias = now + (uint64_t)g.budget;
}

static inline void set_stop(uint64_t at)
{
	policy_stop = at;
	set_budget(at);
}

static uint64_t pct_next_change(void)
{
	uint64_t next = pct_next(), now = sched_concurrent_hooks();
	uint64_t gap = next > now ? next - now : 1;
	return rt_hooks() + (gap < pct_demote_after ? gap : pct_demote_after);
}

/* Where a policy that decides by itself wants to be asked next. */
static inline uint64_t next_decision(void)
{
	/* A lone thread needs no decisions; the second one to appear asks for the first. */
	if (rt_threads_live_count < 2)
		return NEVER;
	if (policy == POLICY_ROUNDROBIN)
		return rt_hooks() + preempt;
	return policy == POLICY_RANDOM ? rt_hooks() + random_gap() : pct_next_change();
}

static void policy_next_stop(void)
{
	if (policy == POLICY_EXPLORE)
		set_stop(0);
	else if (policy != POLICY_REPLAY)
		set_stop(next_decision());
	else if (schedule_next < schedule_count &&
		 ((schedule[schedule_next].why & 0xff) == SWITCH_PREEMPT ||
		  (schedule[schedule_next].why & 0xff) == SWITCH_FLUSH))
		set_stop(schedule[schedule_next].hooks);
	else
		set_stop(NEVER);
}

void sched_init(void)
{
	const struct wire_session *s = g.session;
	policy = s->policy;
	preempt = s->preempt ? s->preempt : 1;
	step_limit = s->step_limit;
	random_state = s->seed * 0x2545f4914f6cdd1dull + policy;
	schedule = (const struct wire_step *)((const char *)s + s->schedule_offset);
	schedule_count = s->schedule_count;
	choices = (const uint32_t *)((const char *)s + s->choices_offset);
	choices_count = s->choices_count;
	lowest_priority = PCT_LOWEST;
	pct_demote_after = s->length > PCT_HOOKS_MAX ? s->length : PCT_HOOKS_MAX;
	if (policy == POLICY_PCT)
		pct_begin(s->seed, preempt, s->length);
	policy_next_stop();
}

/* With pct a thread that has become ready runs at once if its priority is higher. */
static inline void pct_look(const struct thread *ready)
{
	if (likely(policy != POLICY_PCT) || !g.cur || ready->priority <= g.cur->priority)
		return;
	priority_wanted = true;
	set_budget(0);
}

void sched_add_here(struct thread *t)
{
	if (rt_threads_live_count == LIVE_MAX)
		rt_fatal("more than 4096 threads at once");
	t->priority = PCT_INITIAL + (uint32_t)random_below(PCT_INITIAL);
	t->live_index = rt_threads_live_count;
	rt_threads_live[rt_threads_live_count++] = t;
	if (rt_threads_live_count == 2) {
		alone_hooks += rt_hooks() - alone_since;
		policy_next_stop();
	}
	pct_look(t);
}

static void remove_live(struct thread *t)
{
	rt_threads_live_count--;
	for (uint32_t i = t->live_index; i < rt_threads_live_count; i++) {
		rt_threads_live[i] = rt_threads_live[i + 1];
		rt_threads_live[i]->live_index = i;
	}
	t->live_index--; /* so that the thread behind it is still the next one */
	if (rt_threads_live_count == 1) {
		alone_since = rt_hooks();
		policy_next_stop();
	}
}

void sched_diverged(enum wire_divergence reason)
{
	struct wire_session *s = g.session;
	s->diverged_step = schedule_next;
	s->diverged_hooks = rt_hooks();
	s->diverged_reason = reason;
	s->diverged = 1;
	debug_stop(DEBUG_DIVERGED);
	rt_stop();
}

static inline void go(struct thread *to, enum switch_why why)
{
	if (to == g.cur)
		return;
	if (g.exploring) {
		g.step_is_listed = false;
		fiber_switch(to);
		return;
	}
	if (unlikely(g.events_left-- == 0))
		ring_until_reached();
	fiber_switch_recorded(to, why);
}

/*
 * A signal or a cancellation request came for the running thread while others ran; inside a call
 * into libc it has to wait.  A handler finds its stack at the same place in recording and replay,
 * whatever frames of the runtime led here: so far below the beginning of the hook stack that all of
 * them have room.  In the middle of another handler it stays where it is.
 */
static void __attribute__((noinline)) attend(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), base = g.cur->hook.base,
		  sp = (base - RUNTIME_ROOM) & ~15ull;
	if (here > sp && here < base)
		signal_call_at(signal_attend, sp);
	else
		signal_attend();
}

void sched_attend(void)
{
	if (unlikely(g.cur->needs_attention | (g.session->divided.signals != 0)) && !g.no_preempt &&
	    !g.cur->signals.looks_later)
		attend();
}

/* Blocked, but may go on at any time: its deadline then has passed. */
static bool is_sleeper(const struct thread *t)
{
	return t->state == THREAD_BLOCKED && t->wait.is_timed;
}

/*
 * While other threads can run.  The thread of timers wakes when time has come (timer.h); a sleep
 * that ends later than a timer is due does not end before.
 */
static bool may_wake(const struct thread *t)
{
	return is_sleeper(t) &&
	       (policy == POLICY_REPLAY || (!t->is_timer && t->time.deadline < timer_first_due()));
}

void sched_leave_queue(struct sync *s, struct thread *t)
{
	struct thread **at = &s->waiters;
	while (*at && *at != t)
		at = &(*at)->wait.next;
	if (!*at)
		return;
	*at = t->wait.next;
	if (!*at)
		s->waiters_tail = at;
	t->wait.queue = NULL;
}

void sched_wake(struct thread *t, enum wait_end how)
{
	if (t->state != THREAD_BLOCKED)
		return;
	if (t->wait.on) {
		/* A handler does not end the wait for a condition: a signal meanwhile must not be
		 * lost. */
		if (how != WAIT_INTERRUPTED || !t->wait.queue)
			sched_leave_queue(t->wait.on, t);
		t->wait.on->waiting--;
	}
	t->wait.on = NULL;
	t->wait.thread = NULL;
	t->wait.end = how;
	t->io.is_waiting = false;
	t->state = THREAD_READY;
	pct_look(t);
}

/* A sleeper that is chosen has slept: its clock shows the deadline. */
static void wake_blocked(struct thread *t)
{
	if (t->io.is_waiting) {
		/* The clock does not decide: in a replay only the record says why the wait
		 * ended. */
		sched_wake(t,
			   t->io.is_ready || policy == POLICY_REPLAY ? WAIT_WOKEN : WAIT_TIMED_OUT);
		return;
	}
	if (!is_sleeper(t))
		return;
	sched_wake(t, WAIT_TIMED_OUT);
	clock_join(&t->time, t->time.deadline);
}

static inline void wake_sleeper(struct thread *t)
{
	if (unlikely(t->state == THREAD_BLOCKED))
		wake_blocked(t);
}

static bool can_run(const struct thread *t, bool with_sleepers)
{
	if (t->io.is_waiting && (t->io.is_ready || policy == POLICY_REPLAY))
		return true;
	if (t->spin.awaits && policy != POLICY_REPLAY && !await_can_continue(t))
		return false;
	return t->state == THREAD_READY || (with_sleepers && may_wake(t));
}

bool sched_can_run(const struct thread *t)
{
	return can_run(t, true);
}

static uint32_t candidates(struct thread **out, const struct thread *except, bool with_sleepers)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i] != except && can_run(rt_threads_live[i], with_sleepers))
			out[n++] = rt_threads_live[i];
	return n;
}

static struct thread *earliest_sleeper(bool others_can_run)
{
	struct thread *best = NULL;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if ((others_can_run ? may_wake(t) : is_sleeper(t)) &&
		    (!best || t->time.deadline < best->time.deadline))
			best = t;
	}
	return best;
}

/* No thread is ready: a thread that waits for the outside continues when that is ready, a
 * sleeping one when time has passed. */
struct thread *sched_next_to_wake(void)
{
	struct thread *first = earliest_sleeper(false);
	bool sleeps = outside_anyone_waits() || outside_signal_may_come();
	if (!sleeps || g.cur->state == THREAD_READY)
		return first;
	bool is_ready = outside_idle(first ? first->time.deadline : NO_DEADLINE,
				     first ? first->time.now : 0);
	if (outside_signal_came())
		return outside_signal_thread();
	if (!is_ready)
		return first;
	uint32_t i = 0;
	while (!rt_threads_live[i]->io.is_waiting || !rt_threads_live[i]->io.is_ready)
		i++;
	return rt_threads_live[i];
}

/* The next one after the running thread, in order of creation; that itself, if it is not
 * excluded, comes last. */
static inline struct thread *next_in_turn(const struct thread *except)
{
	uint32_t count = rt_threads_live_count, at = g.cur->live_index;
	for (uint32_t i = 0; i < count; i++) {
		if (++at >= count)
			at = 0;
		struct thread *t = rt_threads_live[at];
		bool can_go = t->state == THREAD_READY || (t->io.is_waiting && t->io.is_ready);
		if (can_go && t != except && (!t->spin.awaits || await_can_continue(t)))
			return t;
	}
	return sched_next_to_wake();
}

/*
 * Policies without chance let a sleep end when the running thread would only go on, or at every
 * SLEEPERS_TURN-th decision: it may spin until the sleeper has done something.
 */
static RT_STATE uint32_t decisions;

static inline struct thread *or_sleeper(struct thread *to)
{
	if (g.cur->state != THREAD_READY || policy == POLICY_REPLAY ||
	    (to != g.cur && ++decisions % SLEEPERS_TURN))
		return to;
	struct thread *sleeper = earliest_sleeper(true);
	return sleeper && !sleeper->io.is_waiting ? sleeper : to;
}

/* By chance or by priority. */
static struct thread *__attribute__((noinline)) draw(const struct thread *except)
{
	static RT_KEPT struct thread *list[LIVE_MAX];
	/* A sleep may end at any time, but seldom ends before the others had their turn. */
	bool sleepers = policy == POLICY_RANDOM && random_below(SLEEPERS_TURN) == 0;
	uint32_t n = candidates(list, except, sleepers);
	if (!n)
		return sched_next_to_wake();
	if (policy == POLICY_RANDOM)
		return list[random_below(n)];
	struct thread *best = list[0];
	for (uint32_t i = 1; i < n; i++)
		if (list[i]->priority > best->priority)
			best = list[i];
	return or_sleeper(best);
}

/* The policy's pick among the threads that can run, the running one only if `may_stay`; NULL if
 * there is none. */
static inline struct thread *pick(bool may_stay)
{
	const struct thread *except = may_stay ? NULL : g.cur;
	struct thread *timer = policy == POLICY_REPLAY ? NULL : timer_due();
	if (outside_anyone_waits())
		outside_look();
	if (outside_signal_came())
		return outside_signal_thread();
	if (unlikely(timer))
		return timer;
	if (policy == POLICY_ROUNDROBIN || policy == POLICY_REPLAY)
		return or_sleeper(next_in_turn(except));
	return draw(except);
}

static struct thread *live_thread(uint32_t id)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->id == id)
			return rt_threads_live[i];
	/* A signal from outside came there, for the first time. */
	if (policy == POLICY_REPLAY && id == fiber_threads_made() && !outside_signal_has_thread())
		return outside_signal_thread();
	sched_diverged(DIVERGED_NO_THREAD);
}

static struct thread *replay_target(enum switch_why why)
{
	if (schedule_next >= schedule_count || schedule[schedule_next].hooks != rt_hooks() ||
	    (schedule[schedule_next].why & 0xff) != why)
		return NULL;
	struct thread *t = live_thread(schedule[schedule_next].thread);
	if (!can_run(t, true))
		sched_diverged(DIVERGED_THREAD_BLOCKED);
	schedule_next++;
	policy_next_stop();
	return t;
}

/* ---- when buffered stores reach memory ---- */

/* Whether the step that comes next belongs to a later block of the running thread, at the same
 * hook. */
static bool blocks_again(void)
{
	return schedule_next < schedule_count && schedule[schedule_next].hooks == rt_hooks() &&
	       schedule[schedule_next].why & WIRE_BLOCKS_AGAIN;
}

/* Whether there were any. */
static bool replay_flushes(enum switch_why why)
{
	bool is_first = true;
	for (; schedule_next < schedule_count && schedule[schedule_next].hooks == rt_hooks() &&
	       (schedule[schedule_next].why & 0xff) == why;
	     schedule_next++) {
		if (!is_first && blocks_again())
			return true;
		is_first = false;
		struct thread *t = live_thread(schedule[schedule_next].thread);
		uint32_t place = schedule[schedule_next].why >> 8 & 0xff;
		if (!buffer_may_flush(t, place))
			sched_diverged(DIVERGED_NO_STORE);
		buffer_flush_turn(t, place, why == SWITCH_BLOCK_FLUSH);
	}
	return !is_first;
}

/* Stores that may go now, of one thread or of all; gives the chosen one of them if there are so
 * many. */
static uint32_t ready_stores(uint64_t chosen, struct thread **owner, uint32_t *place)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		for (uint32_t k = 0; k < buffer_count(t); k++) {
			if (!buffer_may_flush(t, k))
				continue;
			if (n++ == chosen) {
				*owner = t;
				*place = k;
			}
		}
	}
	return n;
}

/* Stores stay behind for as long as a coin says, so that each order of flushes and steps has its
 * chance. */
static void draw_flushes(void)
{
	struct thread *owner;
	uint32_t n, place;
	if (policy == POLICY_ROUNDROBIN) {
		for (uint32_t i = 0; i < rt_threads_live_count; i++)
			if (buffer_count(rt_threads_live[i]))
				buffer_flush_turn(rt_threads_live[i], 0, false);
		return;
	}
	while (random_below(2) && (n = ready_stores(0, &owner, &place))) {
		ready_stores(random_below(n), &owner, &place);
		buffer_flush_turn(owner, place, false);
	}
}

static void no_thread_continues(void) __attribute__((noreturn));
static void no_thread_continues(void)
{
	if (await_is_stuck_behind())
		explore_end(EXPLORE_REDUNDANT);
	if (rounds_hold_any())
		explore_end(EXPLORE_ROUND_LIMIT);
	if (await_is_round() && policy == POLICY_EXPLORE)
		explore_end(EXPLORE_REPEATED);
	if (explore_holds_thread())
		explore_end(EXPLORE_THREAD_LIMIT);
	rt_fail(await_any() ? FAIL_LIVELOCK : FAIL_DEADLOCK, 0, 0, g.hook_pc);
}

/* The running thread has been chosen. */
static void go_on_from_await(void)
{
	if (g.cur->spin.awaits)
		await_pass();
}

void sched_ask(void)
{
	set_budget(0);
}

void sched_yield_now(void)
{
	yield_wanted = true;
	set_budget(0);
}

/* In three functions, so that the one that switches often has few registers to save. */
static void __attribute__((noinline)) explore_at_hook(bool yields)
{
	struct thread *next = explore_point(yields);
	if (!next)
		no_thread_continues();
	wake_sleeper(next);
	pc_t place = g.hook_pc; /* as in sched_wait_here() */
	explore_switches += next != g.cur;
	go(next, SWITCH_PREEMPT);
	if (FAULT(HOOK_PLACE_OF_OTHER_THREAD))
		place = g.hook_pc;
	if (g.exploring)
		g.hook_pc = place;
	g.cur->step.next_size = 0;
	go_on_from_await();
	sched_attend();
}

static void __attribute__((noinline)) replay_at_hook(void)
{
	if (g.watches)
		await_point();
	replay_flushes(SWITCH_FLUSH);
	struct thread *to = replay_target(SWITCH_PREEMPT);
	if (to) {
		wake_sleeper(to);
		go(to, SWITCH_PREEMPT);
		go_on_from_await();
		sched_attend();
		return;
	}
	if (!await_can_continue(g.cur) && schedule_next >= schedule_count)
		/* or the recorded run would have continued with another thread */
		no_thread_continues();
	go_on_from_await();
	if (schedule_next < schedule_count && rt_hooks() > schedule[schedule_next].hooks)
		sched_diverged(DIVERGED_RAN_PAST);
	policy_next_stop();
}

static void __attribute__((noinline)) decide_at_hook(bool yields)
{
	bool is_stop = rt_hooks() >= policy_stop;
	bool by_priority = priority_wanted;
	priority_wanted = false;
	if (outside_signal_came()) {
		set_stop(policy_stop);
		struct thread *listener = outside_signal_thread();
		wake_sleeper(listener);
		go(listener, SWITCH_PREEMPT);
		sched_attend();
		return;
	}
	if (!yields && !is_stop && !by_priority) {
		set_budget(policy_stop); /* asked for another reason */
		return;
	}
	if (policy == POLICY_PCT && (yields || is_stop) &&
	    (!pct_is_due(sched_concurrent_hooks(), &g.cur->priority) || yields))
		g.cur->priority = --lowest_priority;
	struct thread *to;
	if (is_stop || policy == POLICY_PCT) {
		if (buffer_is_on())
			draw_flushes();
		to = pick(!yields);
		set_stop(next_decision());
	} else {
		to = pick(false); /* a yield between two stops of the policy */
		set_stop(policy_stop);
	}
	if (!to)
		to = g.cur;
	wake_sleeper(to);
	go(to, SWITCH_PREEMPT);
	sched_attend();
}

/*
 * What decide_at_hook() does most often under roundrobin, in few steps: the next thread in order
 * can go on, and no sleep is to end.  False: nothing has been done.
 */
static inline bool take_plain_turn(void)
{
	struct thread *self = g.cur;
	if (policy != POLICY_ROUNDROBIN || rt_hooks() < policy_stop ||
	    unlikely(yield_wanted | g.no_preempt | self->needs_attention | outside_sleepers |
		     outside_signal_came() | (buffer_model != MEMORY_SC)))
		return false;
	uint32_t count = rt_threads_live_count, at = self->live_index;
	struct thread *to;
	do { /* it comes to the running thread at last, which is ready */
		at = at + 1 < count ? at + 1 : 0;
		to = rt_threads_live[at];
	} while (to->state != THREAD_READY);
	if (unlikely(to == self || (decisions + 1) % SLEEPERS_TURN == 0))
		return false;
	decisions++;
	set_stop(rt_hooks() + preempt);
	if (unlikely(g.events_left-- == 0))
		ring_until_reached();
	fiber_switch_recorded(to, SWITCH_PREEMPT);
	sched_attend();
	return true;
}

static void __attribute__((noinline)) decide(void)
{
	bool yields = yield_wanted;
	yield_wanted = false;
	if (g.no_preempt) {
		/* The question stays open until the next hook; a schedule never names one inside
		 * such a section. */
		yield_wanted = yields;
		return;
	}
	if (policy == POLICY_EXPLORE) {
		explore_at_hook(yields);
		return;
	}
	sched_attend();
	if (policy == POLICY_REPLAY)
		replay_at_hook();
	else
		decide_at_hook(yields);
}

void sched_point_here(void)
{
	g.hooks_bias++; /* this hook; the budget is 0 */
	g.cur->step.hooks++;
	g.session->hooks = rt_hooks();
	if (unlikely(step_limit && rt_hooks() >= step_limit))
		rt_fail(FAIL_STEP_LIMIT, 0, rt_hooks(), g.hook_pc);
	if (!take_plain_turn())
		decide();
}

/* The running thread cannot go on. */
static void block(void)
{
	struct thread *to;
	if (policy == POLICY_REPLAY) {
		bool has_flushed = replay_flushes(SWITCH_BLOCK_FLUSH);
		to = has_flushed && blocks_again() ? NULL : replay_target(SWITCH_BLOCK);
		/* Its own stores have reached memory, and it goes on: no switch is recorded. */
		if (!to && g.cur->stores.awaits_flush && can_run(g.cur, true))
			to = g.cur;
		/*
		 * The last thread to block ends the recorded run: no thread follows it in the
		 * schedule. If a thread could run now, this is another execution.
		 */
		if (!to && pick(false))
			sched_diverged(DIVERGED_BLOCKED_EARLY);
	} else if (policy == POLICY_EXPLORE) {
		explore_switches++;
		to = explore_blocked();
	} else {
		to = pick(false);
	}
	/* To an explorer a signal that no thread of the program sends never comes. */
	if (!to && signal_waiter_place() && policy != POLICY_EXPLORE && policy != POLICY_REPLAY)
		libc_refuse("waiting for a signal from outside", signal_waiter_place());
	if (!to)
		no_thread_continues();
	wake_sleeper(to);
	go(to, SWITCH_BLOCK);
}

/* The same for a thread that may itself be chosen. */
static void block_or_stay(void)
{
	struct thread *to;
	if (policy == POLICY_REPLAY) {
		/* No switch is recorded where the sleeper itself went on. */
		replay_flushes(SWITCH_BLOCK_FLUSH);
		to = replay_target(SWITCH_BLOCK);
		if (!to && (!g.cur->io.is_waiting || outside_is_next(g.cur)))
			to = g.cur;
	} else if (policy == POLICY_EXPLORE) {
		to = explore_blocked();
	} else {
		to = pick(true);
	}
	if (FAULT(ROUND_BESIDE_READ_IS_DEADLOCK) && !to)
		rt_fail(FAIL_DEADLOCK, 0, 0, g.hook_pc);
	/* it waits for a descriptor, for ever; others may spin, or have made a round */
	if (!to)
		no_thread_continues();
	wake_sleeper(to);
	go(to, SWITCH_BLOCK);
}

enum wait_end sched_wait_here(struct sync *on, struct thread *other, uint64_t deadline,
			      bool cancellable)
{
	struct thread *self = g.cur;
	uintptr_t object = on ? on->addr : 0;
	unsigned mode = on ? on->mode : 0;
	uint64_t handlers = self->signals.handlers_run;
	if (self->spin.is_untimed) /* rounds.c */
		deadline = NO_DEADLINE;
	if (cancellable && thread_finds_cancel(g.hook_pc))
		return WAIT_CANCELLED;
	if (cancellable && mode == SYNC_COND && cancel_is_looked_for(self))
		self->cancel.cond = object;
	if (mode == SYNC_SEMAPHORE || mode == SYNC_FUTEX)
		signal_note_interruptible(object, mode);
	self->state = THREAD_BLOCKED;
	self->wait.on = on;
	self->wait.thread = other;
	self->time.deadline = deadline;
	self->wait.is_timed = deadline != NO_DEADLINE;
	self->wait.is_cancellable = cancellable;
	self->signals.restarts = true;
	if (self->atomic.depth)
		g.no_preempt--; /* others run meanwhile: an atomic section that waits is none */
	if (on)
		on->waiting++;
	if (policy == POLICY_EXPLORE)
		explore_list_wait(on, other, self->wait.is_timed);
	/* It may come to another hook of the call that it is in, whose place must not be that of
	 * others. */
	pc_t place = g.hook_pc;
	if (!self->wait.is_timed) {
		block();
	} else {
		block_or_stay();
		self->wait.is_timed = false;
	}
	if (FAULT(HOOK_PLACE_OF_OTHER_THREAD))
		place = g.hook_pc;
	if (g.exploring)
		g.hook_pc = place;
	self->signals.interruptible = 0;
	if (self->atomic.depth)
		g.no_preempt++;
	enum wait_end end = self->wait.end; /* a handler may wait as well */
	if (cancellable && (mode != SYNC_COND || end != WAIT_WOKEN) && thread_finds_cancel(place))
		end = WAIT_CANCELLED;
	if (policy == POLICY_EXPLORE && end == WAIT_TIMED_OUT)
		explore_list_timeout(object, mode, other);
	sched_attend();
	signal_waits_again(object, mode, handlers);
	if (deadline == NO_DEADLINE)
		return end;
	/*
	 * Where the waiter itself continued no switch is recorded. A hook is counted, so that a
	 * wait that follows at once has another number in the schedule. No other thread may run
	 * here: the caller has still to write the event of the end.
	 */
	if (g.budget > 0)
		g.budget--;
	else
		g.hooks_bias++;
	self->step.hooks += policy == POLICY_EXPLORE && explore_counts_waits();
	return end;
}

enum wait_end sched_wait_io_here(uint64_t deadline)
{
	struct thread *self = g.cur;
	/* Inside stdio, which has no way to let go of its stream, cancellation has to wait. */
	bool cancellable = !self->library.stream;
	if (cancellable && thread_finds_cancel(g.hook_pc))
		return WAIT_CANCELLED;
	self->state = THREAD_BLOCKED;
	self->wait.on = NULL;
	self->wait.thread = NULL;
	self->time.deadline = deadline;
	self->wait.is_timed = deadline != NO_DEADLINE;
	self->wait.is_cancellable = cancellable;
	signal_might_interrupt();
	self->signals.restarts = true;
	self->io.is_waiting = true;
	self->io.is_ready = false;
	if (policy == POLICY_EXPLORE)
		explore_list_io_wait(self->wait.is_timed);
	block_or_stay();
	self->wait.is_timed = false;
	enum wait_end end = self->wait.end;
	return cancellable && thread_finds_cancel(g.hook_pc) ? WAIT_CANCELLED : end;
}

uint32_t sched_choose_here(uint32_t n, pc_t pc)
{
	if (n < 2)
		return 0;
	uint32_t chosen;
	if (policy == POLICY_REPLAY) {
		if (choices_next >= choices_count || choices[choices_next] >= n)
			sched_diverged(DIVERGED_CHOICE);
		chosen = choices[choices_next++];
	} else if (policy == POLICY_EXPLORE) {
		chosen = explore_choice(n);
	} else {
		chosen = policy == POLICY_ROUNDROBIN ? 0 : (uint32_t)random_below(n);
	}
	ev_sync(EV_CHOICE, 0, 0, chosen, n, pc);
	return chosen;
}

void sched_exit_thread_here(void)
{
	remove_live(g.cur);
	block();
	__builtin_unreachable();
}
