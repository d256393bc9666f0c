/* SPDX-License-Identifier: Apache-2.0 */
/* Lamport's bakery for two threads; a thread that would wait gives up. */
#include "threads.h"

static _Atomic int choosing[2], ticket[2];
SHARED inside;

static void *enter(void *number)
{
	int self = NUMBER(number), other = 1 - self;
	SET(choosing[self], 1);
	int mine = GET(ticket[other]) + 1;
	SET(ticket[self], mine);
	SET(choosing[self], 0);
	if (GET(choosing[other]))
		return NULL;
	int theirs = GET(ticket[other]);
	if (theirs && (theirs < mine || (theirs == mine && other < self)))
		return NULL;
	SET(inside, self);
	(void)GET(inside);
	SET(ticket[self], 0);
	return NULL;
}

int main(void)
{
	start_all(2, enter);
	join_all(2);
	return 0;
}
