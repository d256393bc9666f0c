/* SPDX-License-Identifier: Apache-2.0 */
// Lamport's bakery.  WRONG: nobody tells that it is just drawing a number.
#include "common.h"

static atomic_int choosing[THREADS], ticket[THREADS];

static void *body(void *number)
{
	int me = *(int *)number, highest = 0;
#ifndef WRONG
	STORE(choosing[me], 1);
	FENCE();
#endif
	for (int k = 0; k < THREADS; k++) {
		int theirs = LOAD(ticket[k]);
		if (theirs > highest)
			highest = theirs;
	}
	STORE(ticket[me], highest + 1);
	FENCE();
#ifndef WRONG
	STORE(choosing[me], 0);
	FENCE();
#endif
	for (int k = 0; k < THREADS; k++) {
		if (k == me)
			continue;
		while (LOAD(choosing[k]))
			;
		for (;;) {
			int theirs = LOAD(ticket[k]);
			if (!theirs || theirs > highest + 1 || (theirs == highest + 1 && k > me))
				break;
		}
	}
	critical_section();
	STORE(ticket[me], 0);
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
