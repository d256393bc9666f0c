/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest common caller of two accesses; see units.h. */
#include "predict/units.h"

#include <string.h>

#include "trace/trace.h"

int units_read(struct units *u, const char *trace, struct err *err)
{
	struct trace_reader *r;
	struct event e;
	int rc = trace_reader_open(&r, trace, err);
	if (rc)
		return rc;
	while ((rc = trace_reader_next(r, &e, err)) == 1)
		vec_push(&u->stacks, e.stack);
	trace_reader_close(r);
	return rc;
}

void units_release(struct units *u)
{
	vec_release(&u->stacks);
}

/* A place, and the calls that led to the function that it is in. */
struct frame {
	loc_id loc;
	stack_id callers;
};

static unsigned depth_of(const struct units *u, stack_id stack)
{
	unsigned depth = 0;
	for (; stack && stack < u->tables->stacks.len; depth++)
		stack = u->tables->stacks.at[stack].parent;
	return depth;
}

static struct frame caller_of(const struct units *u, struct frame f)
{
	const struct stack_node *n = &u->tables->stacks.at[f.callers];
	return (struct frame){ n->loc, n->parent };
}

/*
 * Whether one place of a function comes before another one.  An inlined function has a name of
 * its own; its code is part of its caller, so there the addresses decide.
 */
static bool is_further_down(const struct location *a, const struct location *b)
{
	if (!a->function[0] || !b->function[0])
		return false;
	bool is_same = a->line && b->line && !strcmp(a->function, b->function) &&
		       !strcmp(a->file, b->file);
	if (is_same && a->line != b->line)
		return a->line < b->line;
	return a->region == b->region && a->offset < b->offset;
}

bool units_is_one(const struct units *u, const struct trace_index *x, ev_id first, ev_id second)
{
	if (first >= u->stacks.len || second >= u->stacks.len)
		return false;
	struct frame a = { x->events[first].loc, u->stacks.at[first] };
	struct frame b = { x->events[second].loc, u->stacks.at[second] };
	unsigned depth_a = depth_of(u, a.callers), depth_b = depth_of(u, b.callers);
	for (; depth_a > depth_b; depth_a--)
		a = caller_of(u, a);
	for (; depth_b > depth_a; depth_b--)
		b = caller_of(u, b);
	for (; a.callers != b.callers && depth_a; depth_a--) {
		a = caller_of(u, a);
		b = caller_of(u, b);
	}
	const size_t count = u->tables->locations.len;
	return a.loc && b.loc && a.loc != b.loc && a.loc < count && b.loc < count &&
	       is_further_down(&u->tables->locations.at[a.loc], &u->tables->locations.at[b.loc]);
}
