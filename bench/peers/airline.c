/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads sell a seat each, and look at the number of those sold without a lock. */
#include "threads.h"

SHARED sold, stopped;

static void *sell(void *unused)
{
	if (GET(stopped))
		return unused;
	int now = GET(sold);
	SET(sold, now + 1);
	if (now + 1 >= THREADS - 1)
		SET(stopped, 1);
	return unused;
}

int main(void)
{
	start_all(THREADS, sell);
	join_all(THREADS);
	assert(GET(sold) <= THREADS);
	return 0;
}
