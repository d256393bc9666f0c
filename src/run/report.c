/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a pair of actions to a message for the tool; see report.h.
 *
 * A pair of places is reported once.  The older stack is reconstructed at most TRIES times for a
 * younger place and kind: otherwise a racy loop would spend most of its time on that.
 */
#include "run/report.h"

#include <sys/syscall.h>

#include "run/found.h"
#include "run/guard.h"
#include "run/heap.h"
#include "run/history.h"
#include "run/memory.h"
#include "run/message.h"
#include "run/object.h"
#include "run/place.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/state.h"
#include "run/thr.h"
#include "run/thread.h"
#include "run/tool.h"
#include "wire/run.h"

#define SEEN 8192
#define TRIES 16
#define LOCK_TRIES 100000

static struct {
	uint32_t lock;
	uint32_t reported;
	uint64_t seen[SEEN];
	uint8_t tries[SEEN];
} r;

void report_hello(const char *how)
{
	run_lock(&r.lock);
	message_hello(how);
	run_unlock(&r.lock);
}

/* True for a new key, and up to `tries` times more; false if the table is full. */
static bool is_new(uint64_t key, unsigned tries)
{
	key = (key | 1) * 0x9e3779b97f4a7c15ull;
	for (unsigned i = 0; i < SEEN; i++) {
		unsigned at = (unsigned)((key >> 40) + i) % SEEN;
		if (!r.seen[at]) {
			r.seen[at] = key;
			return true;
		}
		if (r.seen[at] == key)
			return r.tries[at] < tries && ++r.tries[at] <= tries;
	}
	return false;
}

static void put_found(const struct found *f, const uintptr_t *new, unsigned new_count,
		      const uintptr_t *old, unsigned old_count)
{
	message_begin(f->kind, f->status, f->is_locked, f->address, f->size);
	if (f->object)
		message_object(f->object);
	uint32_t uid = f->thr->uid;
	message_act(0, uid, f->act, f->is_atomic, f->address, f->size);
	message_frames(new, new_count);
	message_held(f->thr);
	uint32_t past_uid = message_uid_of(f->past.slot, f->past.epoch);
	if (f->past.epoch) {
		message_act(1, past_uid, f->past.act, f->past.is_atomic, f->past.address,
			    f->past.size);
		message_frames(old, old_count);
		for (const struct stamp *s = STAMP(f->past.stamp); stamp_lock(s);
		     s = STAMP(s->outer))
			message_lock(stamp_lock(s), stamp_mode(s));
	}
	message_thread(uid);
	if (f->past.epoch && past_uid != uid)
		message_thread(past_uid);
	if (f->kind != FINDING_CLOSE_IN_USE && f->kind != FINDING_DOUBLE_CLOSE)
		message_memory(f->past.address && f->kind == FINDING_RACE ? f->past.address
									  : f->address);
}

/* Sent, and counted. */
static void sent(void)
{
	message_end();
	r.reported++;
	if (run_state.options.halts)
		run_syscall(SYS_exit_group, run_state.options.exit_code, 0, 0, 0, 0, 0);
}

void report_cycle(struct thr *const *threads, unsigned n)
{
	struct thr *self = run_self;
	if (!tool_is_set() || r.reported >= run_state.options.limit)
		return;
	run_lock(&r.lock);
	run_self = NULL; /* as in run_found */
	message_begin(FINDING_DEADLOCK, RUN_HAPPENED, false, threads[0]->wait.object, 0);
	message_object(threads[0]->wait.kind);
	for (unsigned i = 0; i < n; i++) {
		message_act(i, threads[i]->uid, ACT_WAIT, false, threads[i]->wait.object, 0);
		message_stack(threads[i]->wait.stack);
		if (threads[i]->wait.kind == OBJECT_THREAD)
			message_wait(threads[i]);
		message_held(threads[i]);
	}
	for (unsigned i = 0; i < n; i++)
		message_thread(threads[i]->uid);
	sent();
	run_self = self;
	run_unlock(&r.lock);
}

void report_leak(uint32_t uid, uint32_t creator)
{
	struct thr *self = run_self;
	if (uid >= LIVES || !tool_is_set() || r.reported >= run_state.options.limit)
		return;
	run_lock(&r.lock);
	run_self = NULL; /* as in run_found */
	message_begin(FINDING_THREAD_LEAK, RUN_HAPPENED, false, 0, 0);
	message_act(0, uid, ACT_END, false, 0, 0);
	message_act(1, creator, ACT_CREATE, false, 0, 0);
	message_stack(g_lives[uid].stack);
	message_thread_name(uid);
	message_thread_name(creator);
	sent();
	run_self = self;
	run_unlock(&r.lock);
}

/* The frames of a handler, and apart from them those of what it has interrupted. */
static void put_handling(const struct thr *t, uintptr_t pc, enum finding_act act)
{
	const struct history *h = &t->history;
	const struct call_frame *top = h->top < h->limit ? h->top : h->limit - 1;
	uintptr_t interrupted = t->handling.place;
	message_act(0, t->uid, act, false, 0, 0);
	message_frames(&pc, 1);
	/* The first function was called by the runtime. */
	for (; top > h->frames + t->handling.depth + 1; top--)
		message_frames(&top->call, 1);
	message_held(t);
	message_act(1, t->uid, ACT_INTERRUPT, false, 0, 0);
	if (interrupted)
		message_frames(&interrupted, 1);
	top = top > h->frames + t->handling.depth ? h->frames + t->handling.depth : top;
	for (; top > h->frames; top--)
		message_frames(&top->call, 1);
}

void report_handler(struct thr *t, const char *function, uintptr_t pc)
{
	struct thr *self = run_self;
	enum finding_kind kind = function ? FINDING_SIGNAL_UNSAFE : FINDING_ERRNO_IN_HANDLER;
	if (!tool_is_set() || r.reported >= run_state.options.limit)
		return;
	run_lock(&r.lock);
	if (is_new((uint64_t)kind << 56 ^ pc, 0)) {
		run_self = NULL; /* as in run_found */
		message_begin(kind, t->handling.is_own ? RUN_POTENTIAL : RUN_HAPPENED, false, 0,
			      (unsigned)t->handling.number);
		if (function)
			message_text(function);
		put_handling(t, pc, ACT_CALL);
		message_thread(t->uid);
		sent();
		run_self = self;
	}
	run_unlock(&r.lock);
}

static void put_doing(unsigned number, const struct thr *t, enum finding_act act)
{
	uintptr_t pcs[STACK_MAX];
	bool waits = t->wait.object && act == ACT_STAY;
	message_act(number, t->uid, act, false, 0, 0);
	if (waits)
		message_stack(t->wait.stack);
	else
		message_frames(pcs, state_frames(t, pcs));
	if (waits)
		message_wait(t);
	message_held(t);
}

/* Others may hold the lock for good when they are stopped, so it is only tried. */
static void take_lock(void)
{
	for (unsigned i = 0; i < LOCK_TRIES && __atomic_exchange_n(&r.lock, 1, __ATOMIC_SEQ_CST);
	     i++)
		run_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

void report_state(const struct state_report *s)
{
	unsigned count = 0, left = 0, uids = run_state.slot_count;
	if (!tool_is_set() || r.reported >= run_state.options.limit)
		return;
	take_lock();
	message_begin(s->kind, RUN_HAPPENED, false, s->address, s->number);
	state_stop_others();
	if (s->text)
		message_text(s->text);
	if (s->first)
		put_doing(count++, s->first, ACT_FAIL);
	for (uint32_t i = 0; i < uids; i++) {
		const struct thr *t = run_state.slots[i];
		if (!t || !t->is_alive || t == s->first)
			continue;
		if (message_length() < RUN_MESSAGE_MAX / 4 * 3)
			put_doing(count++, t, ACT_STAY);
		else
			left++;
	}
	for (uint32_t i = 0; i < uids && message_length() < RUN_MESSAGE_MAX / 8 * 7; i++)
		if (run_state.slots[i] && run_state.slots[i]->is_alive)
			message_thread_name(run_state.slots[i]->uid);
	if (left)
		message_more(left);
	message_end();
	r.reported++;
}

/*
 * The stack of the older action.  A free is recorded at the start of its block, and its place is
 * known even if the history has lost it.
 */
static unsigned restore(const struct found *f, uintptr_t pcs[STACK_MAX])
{
	struct past past = f->past;
	struct block b;
	uint32_t uid;
	bool is_free = past.act == ACT_FREE && heap_find(past.address, &b);
	if (is_free)
		past.address = b.start;
	unsigned n = history_restore(&past, pcs);
	if (n || !is_free)
		return n;
	return heap_freed_by(b.start, &uid, pcs) && uid == message_uid_of(past.slot, past.epoch);
}

void run_found(const struct found *f)
{
	uintptr_t new[STACK_MAX], old[STACK_MAX];
	struct thr *self = run_self;
	if (!tool_is_set() || r.reported >= run_state.options.limit ||
	    (f->kind == FINDING_RACE && is_benign(f->address, f->size)))
		return;
	unsigned new_count = stack_get(f->stack, new);
	run_lock(&r.lock);
	bool is_wanted = is_new((uint64_t)f->kind << 56 ^ (uint64_t)f->past.act << 52 ^
					(new_count ? new[0] : f->address),
				TRIES);
	unsigned old_count = is_wanted ? restore(f, old) : 0;
	uint64_t pair = (new_count ? new[0] : 0) * 31 + (old_count ? old[0] : 0);
	if (is_wanted && is_new(pair ^ (uint64_t)f->kind << 60 ^ 1ull << 59, 0)) {
		run_self = NULL; /* dl_iterate_phdr may lock and compare strings */
		put_found(f, new, new_count, old, old_count);
		sent();
		run_self = self;
	}
	run_unlock(&r.lock);
}
