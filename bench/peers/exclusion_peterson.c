/* SPDX-License-Identifier: Apache-2.0 */
/* Peterson's algorithm for two threads, each with one try for the critical section (ROUNDS tries). */
#include "threads.h"

#ifndef ROUNDS
#define ROUNDS 2
#endif

static _Atomic int wants[2];
SHARED turn, inside;

static void *enter(void *number)
{
	int self = NUMBER(number), other = 1 - self;
	for (int i = 0; i < ROUNDS; i++) {
		SET(wants[self], 1);
		SET(turn, other);
		if (!GET(wants[other]) || GET(turn) != other) {
			SET(inside, self);
			(void)GET(inside);
		}
		SET(wants[self], 0);
	}
	return NULL;
}

int main(void)
{
	start_all(2, enter);
	join_all(2);
	return 0;
}
