/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads add each other's variable to their own, ROUNDS times; main looks at both without waiting. */
#include "threads.h"

SHARED first = 1, second = 1;

static void *add_to_first(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		SET(first, GET(first) + GET(second));
	return unused;
}

static void *add_to_second(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		SET(second, GET(second) + GET(first));
	return unused;
}

int main(void)
{
	start(0, add_to_first);
	start(1, add_to_second);
	if (GET(first) > 10000 || GET(second) > 10000)
		assert(0);
	return 0;
}
