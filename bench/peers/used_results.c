/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads add to a counter, and each keeps what it was. */
#include "threads.h"

SHARED counter;
static int seen[THREADS];

static void *add(void *number)
{
	seen[NUMBER(number)] = atomic_fetch_add(&counter, 1);
	return NULL;
}

int main(void)
{
	start_all(THREADS, add);
	join_all(THREADS);
	for (int i = 0; i < THREADS; i++)
		assert(seen[i] < THREADS);
	return 0;
}
