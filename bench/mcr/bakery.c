/* SPDX-License-Identifier: Apache-2.0 */
/* Lamport's bakery for two threads, each once in its critical section. */
#include "threads.h"

SHARED choosing[2], number[2], inside;

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
	SET(inside, GET(inside) + 1);
	assert(GET(inside) == 1);
	SET(inside, GET(inside) - 1);
	SET(number[me], 0);
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
