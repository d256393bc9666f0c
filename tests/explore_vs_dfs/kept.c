/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that once showed a fault of the reduction which random ones show rarely, as small as
 * they could be made.  The end of a thread's code is its last instruction that is not "nothing".
 */
#include "explore_vs_dfs/sim.h"

#include <stddef.h>

#define JOINED .barrier = 2, .joins_all = true

static const struct kept {
	const char *name;
	struct sim_program program;
} kept[] = {
	{ "a thread that awaits a change for ever could have seen one that was undone",
	  { .threads = 3,
	    JOINED,
	    .code = { { { DO_FORK, 1 },
			{ DO_FORK, 2 },
			{ DO_WRITE, 2, 0 },
			{ DO_JOIN, 1 },
			{ DO_JOIN, 2 } },
		      { { DO_AWAIT, 2, 0 } },
		      { { DO_WRITE, 2, 2 } } } } },
	{ "a timed wait that has been woken does not depend on later signals",
	  { .threads = 2,
	    JOINED,
	    .code = { { { DO_FORK, 1 },
			{ DO_LOCK, 0, 0, 2 },
			{ DO_TIMED_WAIT, 1, 0 },
			{ DO_UNLOCK },
			{ DO_JOIN, 1 } },
		      { { DO_BROADCAST, 1 }, { DO_BROADCAST, 1 } } } } },
	{ "a thread that waits for ever after a barrier comes after the one that let it through",
	  { .threads = 3,
	    .semaphore = 1,
	    JOINED,
	    .code = { { { DO_FORK, 1 }, { DO_FORK, 2 }, { DO_JOIN, 1 }, { DO_JOIN, 2 } },
		      { { DO_SEM_TIMED }, { DO_BARRIER } },
		      { { DO_BARRIER }, { DO_SEM_WAIT } } } } },
	{ "a thread that was woken and never gets its mutex could have got it",
	  { .threads = 2,
	    JOINED,
	    .code = { { { DO_FORK, 1 },
			{ DO_LOCK, 0, 0, 2 },
			{ DO_WAIT, 1, 0 },
			{ DO_UNLOCK },
			{ DO_JOIN, 1 } },
		      { { DO_SIGNAL, 1 }, { DO_LOCK, 0 }, { DO_SEM_WAIT }, { DO_UNLOCK, 0 } } } } },
	{ "a thread that was woken and never gets its mutex could have run out of time before",
	  { .threads = 2,
	    JOINED,
	    .code = { { { DO_FORK, 1 },
			{ DO_LOCK, 0, 0, 2 },
			{ DO_TIMED_WAIT, 1, 0 },
			{ DO_UNLOCK },
			{ DO_JOIN, 1 } },
		      { { DO_LOCK, 0 }, { DO_SIGNAL, 1 }, { DO_SEM_WAIT }, { DO_UNLOCK, 0 } } } } },
	{ "what does not depend on a choice is looked for below all of its answers",
	  { .threads = 4,
	    JOINED,
	    .code = { { { DO_FORK, 1 },
			{ DO_FORK, 2 },
			{ DO_FORK, 3 },
			{ DO_ADD },
			{ DO_JOIN, 1 },
			{ DO_JOIN, 2 },
			{ DO_JOIN, 3 } },
		      { { DO_BROADCAST } },
		      { { DO_ADD, 0, 1 } },
		      { { DO_SIGNAL }, { DO_CHOOSE, 0, 3 } } } } },
	{ "a failure that was explored does not stand for what others do instead",
	  { .threads = 4,
	    .barrier = 2,
	    .code = { { { DO_FORK, 1 }, { DO_FORK, 2 }, { DO_FORK, 3 } },
		      { { DO_ASSERT, 0, 0 } },
		      { { DO_READ }, { DO_OUTPUT } },
		      { { DO_WRITE, 0, 1 } } } } },
};

const char *sim_kept(struct sim_program *p, size_t number)
{
	if (number >= sizeof(kept) / sizeof(kept[0]))
		return NULL;
	*p = kept[number].program;
	for (int t = 0; t < p->threads; t++)
		for (int i = 0; i < CODE_MAX; i++)
			if (p->code[t][i].kind != DO_NOTHING)
				p->length[t] = i + 1;
	return kept[number].name;
}
