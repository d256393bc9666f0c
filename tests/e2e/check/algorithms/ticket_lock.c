/* SPDX-License-Identifier: Apache-2.0 */
// A lock that serves in order of arrival.  WRONG: tickets are drawn in two steps.
#include "common.h"

static atomic_int next, serving;

static void *body(void *number)
{
	(void)number;
#ifdef WRONG
	int mine = LOAD(next);
	STORE(next, mine + 1);
#else
	int mine = atomic_fetch_add(&next, 1);
#endif
	while (LOAD(serving) != mine)
		;
	critical_section();
	atomic_store_explicit(&serving, mine + 1, memory_order_release);
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
