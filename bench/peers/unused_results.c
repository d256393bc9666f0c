/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads add to a counter; none looks at what it was. */
#include "threads.h"

SHARED counter;

static void *add(void *unused)
{
	atomic_fetch_add(&counter, 1);
	return unused;
}

int main(void)
{
	start_all(THREADS, add);
	join_all(THREADS);
	return 0;
}
