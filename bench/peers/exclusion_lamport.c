/* SPDX-License-Identifier: Apache-2.0 */
/* Lamport's fast mutual exclusion for two threads; a thread that would wait gives up. */
#include "threads.h"

static _Atomic int wants[3];
SHARED first, second, inside;

static void *enter(void *number)
{
	int self = NUMBER(number) + 1, other = 3 - self;
	SET(wants[self], 1);
	SET(first, self);
	if (GET(second)) {
		SET(wants[self], 0);
		return NULL;
	}
	SET(second, self);
	if (GET(first) != self) {
		SET(wants[self], 0);
		if (GET(wants[other]) || GET(second) != self)
			return NULL;
	}
	SET(inside, self);
	(void)GET(inside);
	SET(second, 0);
	SET(wants[self], 0);
	return NULL;
}

int main(void)
{
	start_all(2, enter);
	join_all(2);
	return 0;
}
