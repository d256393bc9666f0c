/* SPDX-License-Identifier: Apache-2.0 */
/* Peterson's algorithm, each thread once in its critical section; without fences it is wrong under TSO and
 * PSO. */
#include "exclusion.h"

SHARED wants[2], turn;

static void enter(int me)
{
	SET(wants[me], 1);
	SET(turn, !me);
	while (GET(wants[!me]) && GET(turn) == !me)
		;
}

static void leave(int me)
{
	SET(wants[me], 0);
}
