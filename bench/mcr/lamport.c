/* SPDX-License-Identifier: Apache-2.0 */
/* Lamport's fast mutual exclusion for two threads, each once in its critical section. */
#include "exclusion.h"

SHARED x, y, busy[3];

static void enter(int thread)
{
	int me = thread + 1;
	for (;;) {
		SET(busy[me], 1);
		SET(x, me);
		if (GET(y)) {
			SET(busy[me], 0);
			while (GET(y))
				;
			continue;
		}
		SET(y, me);
		if (GET(x) == me)
			break;
		SET(busy[me], 0);
		while (GET(busy[3 - me]))
			;
		if (GET(y) == me)
			break;
		while (GET(y))
			;
	}
}

static void leave(int thread)
{
	int me = thread + 1;
	SET(y, 0);
	SET(busy[me], 0);
}
