/* SPDX-License-Identifier: Apache-2.0 */
/* The main thread moves an index on and starts a thread, THREADS times; each stores at the index that it finds. */
#include "threads.h"

static _Atomic int values[THREADS];
SHARED at;

static void *store(void *unused)
{
	SET(values[GET(at)], 1);
	return unused;
}

int main(void)
{
	for (int i = 0; i < THREADS; i++) {
		SET(at, i);
		start(i, store);
	}
	join_all(THREADS);
	return 0;
}
