/* SPDX-License-Identifier: Apache-2.0 */
/* Which function around a place is the user's own; see frames.h. */
#include "report/frames.h"

#include <string.h>

bool frames_outward(const struct trace_tables *t, struct frame_walk *w)
{
	loc_id outer = trace_outer(t, w->loc);
	if (!outer && (!w->stack || w->stack >= t->stacks.len))
		return false;
	w->inside = w->loc;
	w->loc = outer ? outer : t->stacks.at[w->stack].loc;
	if (!outer)
		w->stack = t->stacks.at[w->stack].parent;
	return true;
}

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

bool frames_is_own(const struct location *l)
{
	if (!l->file[0])
		return !begins_with(l->function, "std::") &&
		       !begins_with(l->function, "__gnu_cxx::");
	return !begins_with(l->file, "/usr/include/") && !begins_with(l->file, "/usr/lib/") &&
	       !strstr(l->file, "/include/c++/") && !strstr(l->file, "/lib/gcc/") &&
	       !strstr(l->file, "/lib/clang/");
}

struct frame_walk frames_own(const struct trace_tables *t, loc_id loc, stack_id stack)
{
	struct frame_walk w = { loc, stack, 0 };
	if (!loc || loc >= t->locations.len)
		return w;
	do
		if (w.loc < t->locations.len && frames_is_own(&t->locations.at[w.loc]))
			return w;
	while (frames_outward(t, &w));
	return (struct frame_walk){ loc, stack, 0 };
}
