/* SPDX-License-Identifier: Apache-2.0 */
/* What each thread has for an explorer: its current step and its next one (explore.c). */
#ifndef HEDDLE_RT_EXPLORE_STEP_H
#define HEDDLE_RT_EXPLORE_STEP_H

#include "rt/rt.h"

struct thread_step {
	/* raw hooks that it has passed; for ends of timed waits see wire/explore.h */
	uint64_t hooks;
	uint64_t number;	/* of the current step: `hooks` when the step began */
	uint16_t flags;		/* OPF_*, of the current step */
	uint16_t acquires_by;	/* OPF_*, for its next acquire or release */
	bool ends_process;	/* its next step does */
	bool is_in_copy;	/* it stands between the words of a copy that is divided */
	bool is_pure;		/* up to its next hook it only reads and writes memory */
	bool is_asleep;		/* its next step has been explored from an equivalent state */
	uint64_t free_priority; /* explore_random.c; 0: it has none yet */
	/* the access or lock of its next step, if g.draws_again; size 0: it is another kind */
	uintptr_t next_addr;
	size_t next_size;
	bool next_changes;
};

#endif
