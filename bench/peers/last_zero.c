/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads each set their element to the one before plus one; another looks for the last zero. */
#include "threads.h"

static _Atomic int elements[THREADS + 1];

static void *set_next(void *number)
{
	SET(elements[NUMBER(number)], GET(elements[NUMBER(number) - 1]) + 1);
	return NULL;
}

static void *find_zero(void *unused)
{
	int i = THREADS;
	while (GET(elements[i]))
		i--;
	return unused;
}

int main(void)
{
	start(0, find_zero);
	for (int i = 1; i <= THREADS; i++)
		start(i, set_next);
	join_all(THREADS + 1);
	return 0;
}
