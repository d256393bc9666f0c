/* SPDX-License-Identifier: Apache-2.0 */
// A lock that spins on an exchange.  WRONG: looks and takes in two steps.
#include "common.h"

static atomic_int is_taken;

static void *body(void *number)
{
	(void)number;
#ifdef WRONG
	while (LOAD(is_taken))
		;
	STORE(is_taken, 1);
#else
	while (atomic_exchange(&is_taken, 1))
		while (LOAD(is_taken))
			;
#endif
	critical_section();
	atomic_store_explicit(&is_taken, 0, memory_order_release);
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
