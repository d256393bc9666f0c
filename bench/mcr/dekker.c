/* SPDX-License-Identifier: Apache-2.0 */
/* Dekker's algorithm, each thread once in its critical section; without fences it is wrong under TSO and PSO. */
#include "threads.h"

SHARED wants[2], turn, inside;

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
	SET(inside, GET(inside) + 1);
	assert(GET(inside) == 1);
	SET(inside, GET(inside) - 1);
	SET(turn, !me);
	SET(wants[me], 0);
}

static void *first(void *unused)
{
	enter(0);
	return unused;
}

static void *second(void *unused)
{
	enter(1);
	return unused;
}

int main(void)
{
	run_two(first, second);
	return 0;
}
