/* SPDX-License-Identifier: Apache-2.0 */
/* One thread adds one to a counter ROUNDS times, another subtracts, each a read and a write. */
#include "threads.h"

#ifndef ROUNDS
#define ROUNDS 3
#endif

SHARED counter;

static void *up(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		SET(counter, GET(counter) + 1);
	return unused;
}

static void *down(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		SET(counter, GET(counter) - 1);
	return unused;
}

int main(void)
{
	run_two(up, down);
	return 0;
}
