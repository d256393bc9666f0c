/* SPDX-License-Identifier: Apache-2.0 */
// Dekker's mutual exclusion.  WRONG: nobody gives way, both may go on.
#include "common.h"

static atomic_int wants[2], turn;

static void *body(void *number)
{
	int me = *(int *)number, other = 1 - me;
	STORE(wants[me], 1);
	FENCE();
	while (LOAD(wants[other])) {
#ifdef WRONG
		break;
#else
		if (LOAD(turn) != me) {
			STORE(wants[me], 0);
			while (LOAD(turn) != me)
				;
			STORE(wants[me], 1);
			FENCE();
		}
#endif
	}
	critical_section();
	STORE(turn, other);
	STORE(wants[me], 0);
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
