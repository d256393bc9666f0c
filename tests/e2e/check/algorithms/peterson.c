/* SPDX-License-Identifier: Apache-2.0 */
// Peterson's mutual exclusion.  WRONG: the turn is given away before the flag is set.
#include "common.h"

static atomic_int wants[2], turn;

static void *body(void *number)
{
	int me = *(int *)number, other = 1 - me;
#ifdef WRONG
	STORE(turn, other);
	STORE(wants[me], 1);
#else
	STORE(wants[me], 1);
	STORE(turn, other);
#endif
	FENCE();
	while (LOAD(wants[other]) && LOAD(turn) == other)
		;
	critical_section();
	STORE(wants[me], 0);
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
