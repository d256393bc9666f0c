/* SPDX-License-Identifier: Apache-2.0 */
/* Lamport's bakery for two threads, each once in its critical section. */
#include "exclusion.h"

SHARED choosing[2], number[2];

static void enter(int me)
{
	SET(choosing[me], 1);
	SET(number[me], GET(number[!me]) + 1);
	SET(choosing[me], 0);
	while (GET(choosing[!me]))
		;
	for (;;) {
		int other = GET(number[!me]), own = GET(number[me]);
		if (!other || own < other || (own == other && me == 0))
			break;
	}
}

static void leave(int me)
{
	SET(number[me], 0);
}
