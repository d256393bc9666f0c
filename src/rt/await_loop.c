/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known loops: a round of a waiting loop that fails is taken back.
 *
 * A search learns at which hooks loops look that were recognised as waiting, and begins again with
 * them (wire_divided.loops).  From then on a thread has its anchor where a round of such a loop
 * begins, from the first round on (await.c).  A round *fails* if it comes back there in the same
 * state, without a lasting effect, after each location gave one value.  What the code does not use
 * any more is no part of the state (src/binary/live.h).
 *
 * Taking back: the thread has its number of the hook again, the explorer drops what the round
 * listed, and sleeping threads that it woke sleep again.  The thread stands where it stood, and
 * awaits a change of what it read, as if the scheduler had not chosen it.
 *
 * Why no behaviour is lost.  Take the program in which a thread whose round fails never goes on.
 * An execution of the real program without its failed rounds is one of that program: nobody could
 * notice them (await.c), and the thread is in the same state without them.  The reverse holds for
 * executions in which no failed round is left.  So it is enough to explore that program, whose
 * failed rounds are moves like others.  In its executions the free run may choose threads as it
 * likes; to take back what the thread did is to have chosen another one.  Two kinds of rounds:
 *
 *   one look      The round is one move that others can make a difference to, like the acquire of
 *                 a lock: possible where it succeeds.  It can always be taken back, also where a
 *                 plan asked for it: then the plan has shown that it is not possible there
 *                 (is_unsure of struct opset).
 *   more          They may be moves of a plan, or other threads may have run between them.  Such a
 *                 round is not taken back; the thread is *stuck*, and what it read takes part in
 *                 races.  It is taken back if it is one piece of the free run.
 *
 * At the end a thread that awaits something has not made its failed round; explore/dpor/reverse.c
 * looks at the races of what it would read.  If a thread is stuck and would read something else
 * now, the execution is none of the program, but was made for its races: it is redundant.
 *
 * Whether a round was taken back depends on the schedule only if the thread is stuck otherwise;
 * so the numbers of steps depend on nothing but the thread's own path, as without loops.  A round
 * with stores, even of the same value, is not taken back and not stuck: it is an await as any.
 * Threads that look for signals or requests have no known loops.
 */
#include "rt/await_state.h"
#include "rt/buffer.h"
#include "rt/cancel.h"
#include "rt/explore.h"
#include "rt/repeat.h"
#include "rt/rounds.h"
#include "rt/sched.h"
#include "rt/signals.h"
#include "wire/explore.h"
#include "wire/fault.h"

static const struct wire_loop *known_loop(pc_t pc)
{
	const struct wire_divided *d = &g.session->divided;
	uint64_t low = 0, high = d->loops_count < WIRE_LOOPS_MAX ? d->loops_count : WIRE_LOOPS_MAX;
	while (low < high) {
		uint64_t middle = (low + high) / 2;
		if (d->loops[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	bool is_known = low < d->loops_count && low < WIRE_LOOPS_MAX && d->loops[low].pc == pc;
	if (!is_known || cancel_is_looked_for(g.cur) || d->signals)
		return NULL;
	return &d->loops[low];
}

bool await_is_loop_begin(const struct await *a)
{
	if (!g.session->divided.loops_count)
		return false;
	const struct wire_loop *loop = known_loop(g.hook_pc), *now = a->round.loop;
	if (!loop)
		return false;
	return !a->is_anchored || !now || now->number != loop->number || a->pc == g.hook_pc;
}

/* Registers and live stack: with what the round reads by hooks, that is all it depends on. */
static uint64_t hash_state(const struct await *a)
{
	const uint64_t *registers = &a->registers.rbx;
	uintptr_t from = a->registers.sp - (g.cur->stack.high - STACK_MAX);
	uint64_t h = a->pc * 0x9e3779b97f4a7c15ull;
	for (unsigned i = 0; i < sizeof(a->registers) / sizeof(*registers); i++)
		if (!await_register_is_dead(a, i))
			h = (h ^ registers[i]) * 0x100000001b3ull;
	for (uintptr_t at = from; at < STACK_MAX; at++)
		if (!await_byte_is_dead(a, at - from))
			h = (h ^ a->stack[at]) * 0x100000001b3ull;
	return h | 1;
}

uint64_t await_state(void)
{
	return g.cur->spin.await->round.state;
}

void await_round_begins(struct await *a)
{
	a->look_pcs_count = 0;
	a->round = (struct await_round){
		.loop = g.session->divided.loops_count ? known_loop(a->pc) : NULL,
		.first = g.cur->step.number,
		.entry = g.op_next,
		.branched = g.branched,
		.path = g.path,
	};
	if (!a->round.loop)
		return;
	g.cur->step.flags |= OPF_POLLS;
	a->round.state = hash_state(a);
}

void await_saw(void)
{
	struct await *a = g.cur->spin.await;
	struct await_round *r = &a->round;
	if (!a->is_anchored)
		return;
	uint32_t i = 0;
	while (i < a->look_pcs_count && i < WIRE_LOOP_HOOKS && a->look_pcs[i] != g.hook_pc)
		i++;
	if (i < WIRE_LOOP_HOOKS)
		a->look_pcs[i] = g.hook_pc;
	if (i == a->look_pcs_count)
		a->look_pcs_count++;
	if (r->looks && r->last_look == g.cur->step.number)
		return;
	if (!r->looks++) {
		r->switches = explore_switches;
		r->is_planned = explore_keeps_rounds();
	}
	r->last_look = g.cur->step.number;
}

void await_stored_again(void)
{
	g.cur->spin.await->round.has_stored = true;
}

static bool can_be_taken_back(const struct await_round *r)
{
	if (r->looks <= 1)
		return !r->is_planned || r->last_look == r->first;
	if (FAULT(PLANNED_ROUND_TAKEN_BACK))
		return true;
	return !r->is_planned && r->switches == explore_switches;
}

enum round_end await_round_ends(struct await *a)
{
	const struct await_round *r = &a->round;
	if (!r->loop || r->has_stored)
		return ROUND_STAYS;
	if (!can_be_taken_back(r)) {
		g.cur->spin.is_stuck = true;
		return ROUND_IS_STUCK;
	}
	g.cur->step.hooks = g.cur->step.number = r->first;
	g.cur->step.flags |= OPF_POLLS;
	g.branched = r->branched;
	g.path = r->path;
	rounds_effect(g.cur);
	repeat_forget(g.cur);
	explore_sleep_again(r->entry);
	return ROUND_TAKEN_BACK;
}

void await_tell_loop(const struct await *a)
{
	struct wire_explore *x = explore_shared();
	if (!g.exploring || a->look_pcs_count > WIRE_LOOP_HOOKS || a->round.has_stored)
		return;
	for (uint32_t i = 0; i < a->look_pcs_count && x->loop_hooks_count < WIRE_LOOP_HOOKS; i++)
		x->loop_hooks[x->loop_hooks_count++] =
			(struct wire_loop_hook){ a->look_pcs[i], a->look_pcs[0] };
}
