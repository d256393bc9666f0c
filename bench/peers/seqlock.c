/* SPDX-License-Identifier: Apache-2.0 */
/* One writer and THREADS readers of a pair that a sequence number guards; a reader tries twice. */
#include "threads.h"

SHARED sequence, first, second;

static void *write_pair(void *unused)
{
	for (int i = 1; i <= 2; i++) {
		atomic_store(&sequence, 2 * i - 1);
		atomic_store(&first, i);
		atomic_store(&second, i);
		atomic_store(&sequence, 2 * i);
	}
	return unused;
}

static void *read_pair(void *unused)
{
	for (int tries = 0; tries < 2; tries++) {
		int before = atomic_load(&sequence);
		int a = atomic_load(&first), b = atomic_load(&second);
		if (before % 2 == 0 && atomic_load(&sequence) == before) {
			assert(a == b);
			break;
		}
	}
	return unused;
}

int main(void)
{
	start_all(THREADS, read_pair);
	start(THREADS, write_pair);
	join_all(THREADS + 1);
	return 0;
}
