/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following a plan: turns, then freedom; see wire/explore.h for the words.
 *
 * A thread that stands at a hook or is blocked has the number of its next step, or of the one
 * that it is in the middle of, in `step`: as many hooks as it had passed there.  Hooks at which
 * nobody is asked (inside a call into libc) count and begin no step; their numbers name the step
 * that they are in, too.  So a turn is over when its thread comes to a step with a larger number,
 * and a thread that blocks, or ends, is at the end of its turn exactly if it does so in the step
 * that the turn names.
 *
 * Freedom is any schedule that every thread gets its share of: the running thread goes on, then
 * the ready one of the lowest number, and what is in a store buffer goes to memory at the next
 * hook of anybody; after FREE_SLICE hooks, and when it yields, the next one in turn, so that
 * loops which wait for others end.  Sleeping threads are left out until an operation wakes them.
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/cancel.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/rounds.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/start.h"
#include "rt/sync.h"
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
/* operations are made by a buffer, not by the running thread */
static RT_STATE bool buffer_acts;
static RT_STATE uint64_t first_hooks, hooks_limit;
static RT_STATE uint32_t slice, slice_left;
static RT_STATE bool holds_thread; /* one that would have started more threads than may be */
static RT_STATE struct {
	uint64_t number, object, detail;
} last_failure;
static RT_STATE unsigned failure_mode; /* FAILED_*, of the next one */

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

/* ---- who can run ---- */

bool explore_is_ready(const struct thread *t)
{
	return (t->state == THREAD_READY && await_goes_on(t)) ||
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

/* The next ready thread in turn after number `after`; whoever would end the process comes last. */
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

/* Somebody could go on but sleeps, so all that can come has been seen. */
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
 * A thread that has gone on from an await, because something had changed, does what it does next
 * at once: what changed may change back, by another thread or by a flush.  A fence or a sleep
 * before that is no reason to let others run first, as nobody sees it.
 */
static bool goes_on_at_once(const struct thread *t)
{
	bool sleeps = is_timed(t) && !t->wait.on && !t->wait.thread;
	if (FAULT(SLEEP_AFTER_AWAIT_IS_STEP))
		sleeps = false;
	return t->spin.passes && (sleeps || explore_is_ready(t));
}

/* In freedom; `gives_way`: the running thread has had its share. */
static struct thread *pick(bool gives_way)
{
	struct thread *self = g.cur, *to;
	if (outside_anyone_waits())
		outside_look();
	if (goes_on_at_once(self))
		return self;
	if (shared->freedom) {
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

/* In freedom no store waits, unless it sleeps. */
static void flush_awake(bool is_blocked)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		for (uint32_t place = 0; place < buffer_count(t);) {
			bool stays = shared->freedom && !is_blocked && explore_random_keeps_store();
			if (!buffer_may_flush(t, place) || store_is_asleep(t, place) || stays) {
				place++;
			} else {
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
		if (!t)
			continue;
		if (sleepers[i].kind == TURN_STEP)
			t->step.is_asleep = true;
		sleepers_asleep++;
	}
	g.has_sleepers = sleepers_asleep || g.draws_again;
}

void explore_wake_sleepers(const struct wire_op *op)
{
	struct footprint used = op_footprint(op);
	if (g.draws_again)
		explore_random_saw(op);
	if (used.space == SPACE_NONE && !op_needs_life(op))
		return;
	for (uint32_t i = 0; i < sleepers_count; i++) {
		struct thread *t = asleep[i];
		const struct wire_op *next = sleeper_ops + sleepers[i].first;
		bool is_own = t == g.cur && sleepers[i].kind == TURN_STEP && !buffer_acts;
		for (uint32_t k = 0; t && !is_own && k < sleepers[i].count; k++) {
			struct footprint f = op_footprint(&next[k]);
			if (!footprints_depend(&used, &f) && !lives_depend(op, &next[k]))
				continue;
			if (sleepers[i].kind == TURN_STEP)
				t->step.is_asleep = false;
			asleep[i] = t = NULL;
			sleepers_asleep--;
		}
	}
	g.has_sleepers = sleepers_asleep || g.draws_again;
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
 * A turn is over: whose is the next one?  After the last comes freedom.  A plan may end with a
 * thread that is to look again at what it awaits, which it does in the step behind the one at
 * which it waits: no store of another thread comes before that.  It may have waited there, which
 * was told then; or it finds that it can go on, and nothing but the await is told.
 */
static RT_STATE bool last_step_was_silent;
/* what follows the last one that was told */
static RT_STATE const struct wire_op *behind_await;
static struct thread *next_turn(bool yields, bool is_blocked)
{
	while (turn_next < turns_count && turns[turn_next].kind == TURN_FLUSH)
		flush_as_planned(&turns[turn_next++], is_blocked);
	if (turn_next >= turns_count) {
		if (turn_next == turns_count) {
			turn_next++;
			fall_asleep();
			if (buffer_is_on() && last_step_was_silent && !yields && !is_blocked &&
			    sched_can_run(g.cur) && !g.cur->step.is_asleep && await_goes_on(g.cur))
				return g.cur;
		}
		bool goes_on = goes_on_at_once(g.cur);
		if (FAULT(AWAIT_LOOK_IS_NOT_SILENT))
			goes_on = false;
		if (buffer_is_on() && !goes_on)
			flush_awake(is_blocked);
		return pick(yields);
	}
	const struct wire_turn *turn = &turns[turn_next];
	struct thread *t = live_thread(turn->thread);
	/* It has made that step, or has come to an await at its beginning and cannot go on. */
	if (t &&
	    (t->step.number > turn->hook || (t->step.number == turn->hook && !await_goes_on(t)))) {
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
	behind_await = NULL;
	holds_thread = false;
	explore_random_begin(shared);
	g.op_next = (struct wire_op *)((char *)shared + shared->ops_offset);
	g.op_limit = g.op_next + shared->ops_room;
	next_turn(false, false); /* the main thread, or this is no plan for a program */
}

struct thread *explore_point(bool yields)
{
	struct thread *self = g.cur;
	last_step_was_silent = !g.step_is_told || g.op_next == behind_await;
	if (FAULT(AWAIT_LOOK_IS_NOT_SILENT))
		last_step_was_silent = !g.step_is_told;
	self->step.number = self->step.hooks;
	self->step.flags = 0;
	self->step.is_pure = false;
	g.step_is_told = false;
	if (unlikely(rt_hooks() - first_hooks > hooks_limit))
		explore_end(EXPLORE_STEP_LIMIT);
	if (g.watches)
		await_point();
	if (turn_next < turns_count) {
		if (self->step.number <= turns[turn_next].hook && await_goes_on(self))
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
	else if (shared->freedom)
		chosen = explore_random_choice(n);
	if (chosen >= n)
		diverge();
	return chosen;
}

/* ---- the list ---- */

void explore_list_is_full(void)
{
	explore_end(EXPLORE_FULL);
}

void explore_tell_step(void)
{
	g.step_is_told = true;
	if (g.op_next >= g.op_limit)
		explore_list_is_full();
	const struct thread *t = g.cur;
	struct wire_op op = {
		.object = t->id, .value = t->step.number, .kind = OP_STEP, .flags = t->step.flags
	};
	bool is_drained = t->step.flags & OPF_DRAINED && t->stores.drain_size <= UINT32_MAX;
	if (FAULT(FREE_WAITS_FOR_ALL_STORES))
		is_drained = false;
	if (is_drained) {
		op.pc = t->stores.drain_from;
		op.size = (uint32_t)t->stores.drain_size;
	}
	*g.op_next++ = op;
}

/* A step of a buffer, whoever runs; the running thread's own step is told again if it goes on. */
void explore_flush(uint32_t thread, uintptr_t addr, uint64_t value, size_t size, pc_t pc)
{
	if (g.op_next >= g.op_limit)
		explore_list_is_full();
	*g.op_next++ = (struct wire_op){ .object = thread,
					 .value = buffer_model == MEMORY_PSO ? addr : 0,
					 .kind = OP_STEP,
					 .flags = OPF_FLUSH };
	g.step_is_told = true;
	buffer_acts = true;
	explore_op(EV_FLUSH, addr, value, size, 0, 0, pc);
	buffer_acts = false;
	g.step_is_told = false;
}

/* What the running thread waits for: readers and writers wait for the same object. */
static unsigned wait_mode(unsigned mode)
{
	return mode == SYNC_WRLOCK && g.cur->wait.is_to_read ? SYNC_RDLOCK : mode;
}

unsigned explore_cancellable(void)
{
	return g.cur->wait.is_cancellable && cancel_is_looked_for(g.cur) ? OPF_CANCELLABLE : 0;
}

void explore_tell_wait(const struct sync *on, const struct thread *other, bool is_timed)
{
	if (g.exploring)
		explore_op(OP_BLOCKED,
			   on	   ? on->addr
			   : other ? other->id
				   : 0,
			   0, 0, on ? wait_mode(on->mode) : 0,
			   (is_timed ? OPF_TIMED : 0) | (other ? OPF_JOIN : 0) |
				   (g.cur->stores.awaits_flush ? OPF_DRAINED : 0) |
				   explore_cancellable(),
			   g.hook_pc);
}

/* A waiter that leaves a queue by itself changes what a signal finds there: told where it happens.
 */
void explore_tell_timeout(uintptr_t object, unsigned mode, const struct thread *other)
{
	if (g.exploring && object)
		explore_op(EV_TIMEOUT, object, 0, 0, wait_mode(mode), 0, g.hook_pc);
	if (g.exploring && other)
		explore_op(EV_JOIN, other->id, 0, 0, 0, EVF_FAILED | OPF_TIMED, g.hook_pc);
}

void explore_sync(unsigned kind, uint64_t object, unsigned mode, uint64_t a, uint64_t b, pc_t pc)
{
	uint64_t size = 0;
	unsigned flags = 0;
	if (kind == EV_ACQUIRE || kind == EV_RELEASE || kind == EV_SEM_WAIT || kind == EV_JOIN) {
		flags = g.cur->step.acquires_by;
		g.cur->step.acquires_by = 0;
	}
	switch (kind) {
	case EV_FORK:
	case EV_JOIN:
	case EV_DETACH:
		object = a;
		break;
	case EV_BEGIN:
	case EV_END:
		object = g.cur->id;
		break;
	case EV_KILL:
		/* One to the process may go to any thread that there is. */
		object = a ? a - 1 : UINT64_MAX - 1;
		size = b;
		break;
	case EV_CHOICE:
		size = b;
		break;
	case EV_AWAIT:
		await_tell();
		behind_await = g.op_next;
		return;
	case EV_WAKE:
		if (b)
			return; /* nobody woke it: it has seen nothing of those who signalled */
		break;
	case EV_FENCE:
		if (buffer_model == MEMORY_PSO && order_releases_in_buffer(mode))
			flags = EVF_BUFFERED; /* the buffer has an entry for it */
		break;
	case EV_REQUEST:
	case EV_JOIN_WAIT:
	case EV_BRANCH:
	case EV_CLOCK:
	case EV_YIELD:
	case EV_SLEEP:
	case EV_INPUT:
	case EV_IO_WAIT:
	case EV_IO_TIME:
	case EV_HANDLER_BEGIN:
	case EV_HANDLER_END:
	case EV_THROW:
	case EV_CATCH:
	case EV_FRAME_LEFT:
	case EV_CANCELLED:
		return; /* nobody else can see it */
	}
	explore_op(kind, object, a, size, mode, flags, pc);
}

void explore_output(int descriptor, const void *bytes, size_t n, pc_t pc)
{
	if (g.watches)
		await_effect();
	size_t run = (n + sizeof(struct wire_op) - 1) / sizeof(struct wire_op);
	if (g.op_next + run + 2 > g.op_limit)
		explore_list_is_full();
	explore_op(OP_OUTPUT, (uint64_t)descriptor, 0, n, 0, 0, pc);
	if (run)
		g.op_next[run - 1] = (struct wire_op){ 0 };
	rt_memcpy(g.op_next, bytes, n);
	g.op_next += run;
}

static bool is_about_memory(uint64_t failure)
{
	switch (failure) {
	case FAIL_READ_FREED:
	case FAIL_WRITE_FREED:
	case FAIL_READ_LEFT:
	case FAIL_WRITE_LEFT:
	case FAIL_DOUBLE_FREE:
	case FAIL_INVALID_FREE:
	case FAIL_FREE_LOCKED:
	case FAIL_UNLOCK_FREE:
	case FAIL_UNLOCK_OTHER:
	case FAIL_DESTROY_HELD:
	case FAIL_DESTROY_WAITED:
	case FAIL_USE_DESTROYED:
	case FAIL_REINIT_USED:
	case FAIL_UNINITIALISED:
		return true;
	}
	return false;
}

void explore_plain_access_fails(void)
{
	failure_mode = FAILED_PLAIN_ACCESS;
}

void explore_failure(uint64_t object, uint64_t failure, uint64_t detail, const char *text,
		     size_t len, pc_t pc)
{
	last_failure.number = failure;
	last_failure.object = object;
	last_failure.detail = detail;
	len = len < sizeof(shared->text) - 1 ? len : sizeof(shared->text) - 1;
	rt_memcpy(shared->text, text, len);
	shared->text[len] = 0;
	/* What others did to that memory, or to that lock, made it fail: it has looked at it. */
	if (is_about_memory(failure)) {
		bool has_size = failure == FAIL_READ_FREED || failure == FAIL_WRITE_FREED ||
				failure == FAIL_READ_LEFT || failure == FAIL_WRITE_LEFT;
		explore_op(EV_READ, object, 0, has_size ? detail : 1, 0, 0, pc);
	}
	if (failure != FAIL_REFUSED)
		explore_op(EV_FAILURE, object, failure, detail, failure_mode, 0, pc);
	failure_mode = FAILED_SOMEHOW;
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

void explore_end_failed(void)
{
	if (last_failure.number == FAIL_REFUSED)
		explore_end(EXPLORE_UNSUPPORTED);
	shared->failure = (uint32_t)last_failure.number;
	shared->failure_object = last_failure.object;
	shared->failure_detail = last_failure.detail;
	explore_end(EXPLORE_FAILURE);
}

void explore_unsupported(const char *why)
{
	size_t n = rt_strlen(why);
	n = n < sizeof(shared->text) - 1 ? n : sizeof(shared->text) - 1;
	rt_memcpy(shared->text, why, n);
	shared->text[n] = 0;
	explore_end(EXPLORE_UNSUPPORTED);
}
