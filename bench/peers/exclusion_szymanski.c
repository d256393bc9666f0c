/* SPDX-License-Identifier: Apache-2.0 */
/* Szymanski's algorithm for two threads; a thread that would wait gives up. */
#include "threads.h"

static _Atomic int state[2];
SHARED inside;

static void *enter(void *number)
{
	int self = NUMBER(number), other = 1 - self;
	SET(state[self], 1);
	if (GET(state[other]) >= 3)
		return NULL;
	SET(state[self], 3);
	if (GET(state[other]) == 1) {
		SET(state[self], 2);
		if (GET(state[other]) != 4)
			return NULL;
	}
	SET(state[self], 4);
	if (self && GET(state[0]) >= 2)
		return NULL;
	SET(inside, self);
	(void)GET(inside);
	if (!self && GET(state[1]) >= 2 && GET(state[1]) <= 3)
		return NULL;
	SET(state[self], 0);
	return NULL;
}

int main(void)
{
	start_all(2, enter);
	join_all(2);
	return 0;
}
