/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of operations that an explorer gets of an execution (wire/explore.h).
 *
 * Events become operations here, in the order in which they take effect.  An entry OP_STEP before
 * the first operation of a step names thread and step.  Events that no other thread can observe
 * are left out.  Output and failures are entries of the list, too.
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/cancel.h"
#include "rt/explore.h"
#include "rt/explore_list.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/rt.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/sync.h"
#include "wire/wire.h"

RT_STATE bool explore_buffer_acts;
RT_STATE const struct wire_op *explore_after_await;
static RT_STATE struct {
	uint64_t number, object, detail;
} last_failure;
static RT_STATE unsigned failure_mode; /* FAILED_*, of the next one */

void explore_list_is_full(void)
{
	explore_end(EXPLORE_FULL);
}

uint64_t explore_list_number(const struct wire_op *op)
{
	const char *list = (const char *)explore_shared() + explore_shared()->ops_offset;
	return (uint64_t)(op - (const struct wire_op *)(const void *)list);
}

void explore_list_step(void)
{
	g.step_is_listed = true;
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
	if (t->step.flags & OPF_POLLS)
		explore_list_entry(OP_POLL, 0, await_state(), 0, 0, 0, 0);
}

/* A step of a buffer, whichever thread runs; the running thread's own step is listed again if it
 * continues. */
void explore_flush(uint32_t thread, uintptr_t addr, uint64_t value, size_t size, pc_t pc)
{
	if (g.op_next >= g.op_limit)
		explore_list_is_full();
	*g.op_next++ = (struct wire_op){ .object = thread,
					 .value = buffer_model == MEMORY_PSO ? addr : 0,
					 .kind = OP_STEP,
					 .flags = OPF_FLUSH };
	g.step_is_listed = true;
	explore_buffer_acts = true;
	explore_op(EV_FLUSH, addr, value, size, 0, 0, pc);
	explore_buffer_acts = false;
	g.step_is_listed = false;
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

void explore_list_wait(const struct sync *on, const struct thread *other, bool is_timed)
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

/* A waiter that leaves a queue by itself changes what a signal finds there: listed where it
 * happens. */
void explore_list_timeout(uintptr_t object, unsigned mode, const struct thread *other)
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
		await_report((const struct wire_op *)(uintptr_t)b);
		explore_after_await = g.op_next;
		return;
	case EV_WAKE:
		if (b)
			return; /* no thread woke it, so there is no edge from one that signalled */
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
		return; /* no other thread can observe it */
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
	len = len < sizeof(explore_shared()->text) - 1 ? len : sizeof(explore_shared()->text) - 1;
	rt_memcpy(explore_shared()->text, text, len);
	explore_shared()->text[len] = 0;
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

void explore_end_failed(void)
{
	if (last_failure.number == FAIL_REFUSED)
		explore_end(EXPLORE_UNSUPPORTED);
	explore_shared()->failure = (uint32_t)last_failure.number;
	explore_shared()->failure_object = last_failure.object;
	explore_shared()->failure_detail = last_failure.detail;
	explore_end(EXPLORE_FAILURE);
}
