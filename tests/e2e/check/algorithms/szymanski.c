/* SPDX-License-Identifier: Apache-2.0 */
// Szymanski's mutual exclusion, for two threads.  WRONG: the door is not closed.
#include "common.h"

static atomic_int flag[2];

static void *body(void *number)
{
	int me = *(int *)number, other = 1 - me;
	STORE(flag[me], 1);
	FENCE();
	while (LOAD(flag[other]) >= 3)
		;
#ifndef WRONG
	STORE(flag[me], 3);
	FENCE();
	if (LOAD(flag[other]) == 1) {
		STORE(flag[me], 2);
		FENCE();
		while (LOAD(flag[other]) != 4)
			;
	}
#endif
	STORE(flag[me], 4);
	FENCE();
	if (me == 1)
		while (LOAD(flag[0]) >= 2)
			;
	critical_section();
	if (me == 0)
		for (;;) {
			int theirs = LOAD(flag[1]);
			if (theirs != 2 && theirs != 3)
				break;
		}
	STORE(flag[me], 0);
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
