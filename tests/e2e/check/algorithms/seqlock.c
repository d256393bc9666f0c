/* SPDX-License-Identifier: Apache-2.0 */
// A sequence lock: readers look again if a writer came in between.  WRONG: they do not compare the second look.
#include "common.h"

static atomic_int sequence, left, right;

static void *body(void *number)
{
	if (*(int *)number == 0) {
		atomic_fetch_add(&sequence, 1);
		atomic_store(&left, 1);
		atomic_store(&right, 1);
		atomic_fetch_add(&sequence, 1);
		return NULL;
	}
	for (int attempt = 0; attempt < 2; attempt++) {
		int before = atomic_load(&sequence);
		if (before & 1)
			continue;
		int a = atomic_load(&left), b = atomic_load(&right);
#ifndef WRONG
		if (atomic_load(&sequence) != before)
			continue;
#endif
		assert(a == b);
		break;
	}
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
