/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads meet at a barrier of their own: the last one lets the others go. */
#include "threads.h"

SHARED missing = THREADS, open;

static void *meet(void *unused)
{
	if (atomic_fetch_sub(&missing, 1) == 1)
		atomic_store(&open, 1);
	else
		while (!atomic_load(&open))
			;
	return unused;
}

int main(void)
{
	start_all(THREADS, meet);
	join_all(THREADS);
	return 0;
}
