/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic structs too large for an instruction: each access is one step, so no thread sees half of one.
 *
 * libraries: -latomic
 * trace: read:seq_cst 24 .*\+libc
 * trace: write:seq_cst 24 .*\+libc
 * trace: rmw:seq_cst 24 .*\+libc
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct triple {
	long a, b, c;
};

static _Atomic struct triple shared;

static void *increments(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20; i++) {
		struct triple old = atomic_load(&shared), next;
		do {
			assert(old.a == old.b && old.b == old.c);
			next = (struct triple){ old.a + 1, old.b + 1, old.c + 1 };
		} while (!atomic_compare_exchange_weak(&shared, &old, next));
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	struct triple zero = { 0, 0, 0 };
	atomic_store(&shared, zero);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, increments, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	struct triple last = atomic_exchange(&shared, zero);
	printf("%ld %ld %ld\n", last.a, last.b, last.c);
	return 0;
}
