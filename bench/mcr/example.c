/* SPDX-License-Identifier: Apache-2.0 */
/* A point is written and published ROUNDS times and read as often: only PSO shows it half written in the
 * first round. */
#include "threads.h"

#ifndef ROUNDS
#define ROUNDS 1
#endif

SHARED x, y, z;

static void *writes(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		SET(z, 0);
		SET(x, 0);
		SET(y, 0);
		SET(x, 2);
		SET(y, 3);
		SET(z, 1);
	}
	return unused;
}

static void *reads(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		if (GET(z) == 1 && GET(x) + 1 != GET(y)) {
			volatile int seen = GET(x) + GET(y);
			(void)seen;
		}
	return unused;
}

int main(void)
{
	run_two(writes, reads);
	return 0;
}
