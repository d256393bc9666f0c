/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths from branches; see paths.h.  After a branch at an unknown place no path can be computed;
 * that is not an inconsistency.
 */
#include "trace/paths.h"

#include <string.h>

#include "trace/block.h"
#include "trace/slice.h"
#include "wire/path.h"

static bool can_be_counted(const struct trace_tables *t)
{
	const char *branches = trace_fact(t, TRACE_FACT_BRANCHES);
	return branches && !strcmp(branches, TRACE_BRANCHES_FULL) && !trace_fact(t, SLICE_FACT);
}

static uint64_t *path_of(struct paths *p, uint64_t thread)
{
	static uint64_t none;
	if (thread >= TRACE_THREADS_MAX)
		return &none;
	vec_grow_zeroed(&p->of_thread, thread + 1);
	return &p->of_thread.at[thread];
}

static void pass_branch(struct paths *p, const struct trace_tables *t, const struct event *e)
{
	const struct location *l = &t->locations.at[e->loc];
	uint64_t *path = path_of(p, e->thread);
	if (e->loc && l->region)
		*path = path_step(*path, t->regions.at[l->region].start + l->offset);
	else
		p->state = PATHS_UNKNOWN;
}

bool paths_follow(struct paths *p, const struct trace_tables *t, const struct event *e,
		  uint64_t *recorded, uint64_t *counted)
{
	if (p->state == PATHS_UNDECIDED)
		p->state = can_be_counted(t) ? PATHS_COUNTED : PATHS_UNKNOWN;
	if (p->state == PATHS_UNKNOWN)
		return true;
	thr_id whose = e->thread;
	switch (e->kind) {
	case EV_BRANCH:
		pass_branch(p, t, e);
		return true;
	case EV_SWITCH:
		*recorded = e->obj;
		whose = (thr_id)e->b;
		break;
	case EV_END:
		*recorded = e->a;
		break;
	case EV_PROCESS_END:
		*recorded = e->b;
		break;
	default:
		return true;
	}
	*counted = path_folded(*path_of(p, whose));
	return !*recorded || *recorded == *counted;
}

void paths_release(struct paths *p)
{
	vec_release(&p->of_thread);
}
