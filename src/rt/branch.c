/* SPDX-License-Identifier: Apache-2.0 */
/* The coverage callbacks of the compilers, beyond their shortest path (hooks.S). */
#include "rt/chunk.h"
#include "rt/enter.h"
#include "rt/hot.h"
#include "rt/module.h"
#include "rt/rt.h"
#include "rt/thread.h"
#include "wire/path.h"
#include "wire/wire.h"

/* On the hook stack, by its name without _here (hooks.S). */
void cold_branch_here(pc_t pc);

/*
 * A branch: a bit on the next event and a step of the thread's path, or an event; and a
 * hook like any other, so that a loop without accesses is seen.
 */
void cold_branch_here(pc_t pc)
{
	if (!g.active)
		return;
	rt_enter(pc);
	rt_point();
	uint64_t place = canonical_code(pc);
	if (!place)
		return; /* gcc has one in front of the call by which a module makes itself known */
	g.path = path_step(g.path, place);
	if (g.session->branch_events)
		chunk_branch(pc);
	else
		g.branched = EVF_BRANCH;
}

RT_EXPORT void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
RT_EXPORT void __sanitizer_cov_trace_pc_indir(uintptr_t callee);

RT_EXPORT void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
	(void)start;
	(void)stop;
}

RT_EXPORT void __sanitizer_cov_trace_pc_indir(uintptr_t callee)
{
	(void)callee;
}
