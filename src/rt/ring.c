/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring's slow paths.  The ring is mapped twice in a row, so a record never has to be split;
 * up to g.out_limit the words are known to be free, and only there is the tool's tail looked at.
 */
#include "rt/debug.h"
#include "rt/hot.h"
#include "rt/ring.h"
#include "rt/rt.h"
#include "rt/start.h"
#include "rt/sys.h"
#include "wire/wire.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>

static RT_STATE uint64_t *ring_base;
static RT_STATE uint64_t ring_words;

void ring_attach(void)
{
	struct wire_session *s = g.session;
	/* The session's descriptor was mapped as a whole by start.c; the second view follows the
	 * first. */
	ring_base = (uint64_t *)((char *)s + s->ring_offset);
	ring_words = s->ring_size / 8;
	g.out = ring_base;
	g.out_limit = ring_base + ring_words;
	g.events_left = s->until_event;
}

void ring_wait_space_here(uint64_t words); /* on the hook stack (hook_stack.S) */

void ring_wait_space_here(uint64_t words)
{
	struct wire_session *s = g.session;
	if (g.out >= ring_base + ring_words)
		g.out -= ring_words;
	s->hooks = rt_hooks();
	for (;;) {
		uint64_t tail = __atomic_load_n(&s->tail, __ATOMIC_ACQUIRE);
		uint64_t space = ring_words - (g.written - tail);
		g.out_limit = g.out + space;
		if (space >= words)
			return;
		if (s->tool_gone)
			rt_end_process(3);
		/*
		 * The tool clears the flag after it moved the tail, then wakes; a time limit
		 * covers the window in which the flag is set just after the tool looked at it.
		 */
		__atomic_store_n(&s->waiting_for_space, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&s->tail, __ATOMIC_SEQ_CST) == tail) {
			const int64_t limit[2] = { 0, 20000000 };
			sys4(SYS_futex, &s->waiting_for_space, FUTEX_WAIT, 1, limit);
		}
	}
}

void ring_until_reached(void)
{
	g.events_left = 0;
	if (debug_passes_event()) {
		g.events_left--;
		return;
	}
	g.session->stopped_at_until = 1;
	rt_stop();
}
