/* SPDX-License-Identifier: Apache-2.0 */
/* Lamport's fast mutual exclusion for two threads, each once in its critical section. */
#include "threads.h"

SHARED x, y, busy[3], inside;

static void enter(int me)
{
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
	SET(inside, GET(inside) + 1);
	assert(GET(inside) == 1);
	SET(inside, GET(inside) - 1);
	SET(y, 0);
	SET(busy[me], 0);
}

static void *first(void *unused)
{
	enter(1);
	return unused;
}

static void *second(void *unused)
{
	enter(2);
	return unused;
}

int main(void)
{
	run_two(first, second);
	return 0;
}
