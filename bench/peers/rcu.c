/* SPDX-License-Identifier: Apache-2.0 */
/* One thread replaces a version and waits until no reader is in the old one before it destroys it. */
#include "threads.h"

static _Atomic int readers[2], version[2] = { 1, 2 };
SHARED current;

static void *read_current(void *unused)
{
	int now = atomic_load(&current);
	atomic_fetch_add(&readers[now], 1);
	if (atomic_load(&current) == now)
		assert(atomic_load(&version[now]));
	atomic_fetch_sub(&readers[now], 1);
	return unused;
}

static void *replace(void *unused)
{
	atomic_store(&current, 1);
	while (atomic_load(&readers[0]))
		;
	atomic_store(&version[0], 0);
	return unused;
}

int main(void)
{
	start_all(THREADS, read_current);
	start(THREADS, replace);
	join_all(THREADS + 1);
	return 0;
}
