/* SPDX-License-Identifier: Apache-2.0 */
/* Dekker's algorithm for two threads, with bounded waiting. */
#include "threads.h"

static _Atomic int wants[2];
SHARED turn, inside;

static void *enter(void *number)
{
	int self = NUMBER(number), other = 1 - self;
	SET(wants[self], 1);
	for (int tries = 0; GET(wants[other]); tries++) {
		if (tries == 3)
			return NULL;
		if (GET(turn) == self)
			continue;
		SET(wants[self], 0);
		if (GET(turn) != self)
			return NULL;
		SET(wants[self], 1);
	}
	SET(inside, self);
	(void)GET(inside);
	SET(turn, other);
	SET(wants[self], 0);
	return NULL;
}

int main(void)
{
	start_all(2, enter);
	join_all(2);
	return 0;
}
