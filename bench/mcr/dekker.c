/* SPDX-License-Identifier: Apache-2.0 */
/* Dekker's algorithm, each thread once in its critical section; without fences it is wrong under TSO and
 * PSO. */
#include "exclusion.h"

SHARED wants[2], turn;

static void enter(int me)
{
	SET(wants[me], 1);
	while (GET(wants[!me])) {
		if (GET(turn) == me)
			continue;
		SET(wants[me], 0);
		while (GET(turn) != me)
			;
		SET(wants[me], 1);
	}
}

static void leave(int me)
{
	SET(turn, !me);
	SET(wants[me], 0);
}
