/* SPDX-License-Identifier: Apache-2.0 */
// Lamport's fast mutual exclusion.  WRONG: after a collision nobody waits for the others.
#include "common.h"

static atomic_int x, y, busy[THREADS];

static void *body(void *number)
{
	int me = *(int *)number;
	for (;;) {
		STORE(busy[me], 1);
		STORE(x, me + 1);
		FENCE();
		if (LOAD(y)) {
			STORE(busy[me], 0);
			while (LOAD(y))
				;
			continue;
		}
		STORE(y, me + 1);
		FENCE();
		if (LOAD(x) == me + 1)
			break;
		STORE(busy[me], 0);
		FENCE();
#ifndef WRONG
		for (int k = 0; k < THREADS; k++)
			while (LOAD(busy[k]))
				;
#endif
		if (LOAD(y) == me + 1)
			break;
		while (LOAD(y))
			;
	}
	critical_section();
	STORE(y, 0);
	STORE(busy[me], 0);
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
