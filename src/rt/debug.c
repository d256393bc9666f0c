/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program under a debugger (heddle replay --gdb).
 *
 * The tool starts the program as always and the debugger beside it; the program waits in
 * debug_await until the debugger has attached to it and says so.  From then on the debugger reads
 * the runtime's state in the exported object heddle_gdb, and the runtime calls heddle_gdb_stop,
 * where the debugger has a breakpoint, when there is something to look at: a finding, the end of
 * the recorded schedule, or the event that the debugger asked for.  No function of the program is
 * ever called by the debugger, and no event depends on it, so a run that is looked at is the same
 * run.
 */
#include "rt/debug.h"
#include "rt/hot.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/sync.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#include <sys/prctl.h>
#include <time.h>

extern const char __start_heddle_text[], __stop_heddle_text[];

RT_STATE RT_EXPORT struct debug heddle_gdb = {
	.version = DEBUG_VERSION,
	.stop_event = UINT64_MAX,
	.end_event = UINT64_MAX,
	.events_left = &g.events_left,
	.running = &g.cur,
	.live = rt_threads_live,
	.live_count = &rt_threads_live_count,
	.code_start = __start_heddle_text,
	.code_end = __stop_heddle_text,
	.thread_id = offsetof(struct thread, id),
	.thread_tid = offsetof(struct thread, context.tid),
	.thread_state = offsetof(struct thread, state),
	.thread_name = offsetof(struct thread, name),
	.thread_start = offsetof(struct thread, start),
	.thread_wait_on = offsetof(struct thread, wait.on),
	.thread_wait_thread = offsetof(struct thread, wait.thread),
	.thread_wait_is_timed = offsetof(struct thread, wait.is_timed),
	.sync_addr = offsetof(struct sync, addr),
	.sync_mode = offsetof(struct sync, mode),
	.sync_owner = offsetof(struct sync, owner),
};

RT_EXPORT __attribute__((noinline)) void heddle_gdb_stop(void)
{
	__asm__ volatile("" : : : "memory");
}

void debug_await(void)
{
	struct wire_session *s = g.session;
	if (!s->debugger)
		return;
	heddle_gdb.stop_event = heddle_gdb.end_event = s->until_event;
	/* The debugger is no ancestor of ours, which some systems want it to be unless it is
	 * invited. */
	sys3(SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0);
	s->sleep_allowed = 1;
	while (!heddle_gdb.is_attached && !s->tool_gone) {
		const struct timespec moment = { 0, 10000000 };
		sys3(SYS_nanosleep, &moment, 0, 0);
	}
	s->sleep_allowed = 0;
	s->debugger = DEBUGGER_ATTACHED;
}

void debug_stop(enum debug_reason reason)
{
	if (g.session->debugger != DEBUGGER_ATTACHED)
		return;
	heddle_gdb.reason = reason;
	heddle_gdb_stop();
	heddle_gdb.reason = DEBUG_NONE;
}

bool debug_passes_event(void)
{
	if (g.session->debugger != DEBUGGER_ATTACHED)
		return false;
	uint64_t now = heddle_gdb.stop_event;
	bool is_end = now == heddle_gdb.end_event;
	/* Without another wish there is no stop before the end. */
	heddle_gdb.stop_event = heddle_gdb.end_event;
	g.events_left = heddle_gdb.end_event - now;
	debug_stop(is_end ? DEBUG_SCHEDULE_END : DEBUG_EVENT);
	return !is_end;
}
