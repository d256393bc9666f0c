/* SPDX-License-Identifier: Apache-2.0 */
/* The same, with a new load in each round. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int count;

static void *add(void *unused)
{
	for (;;) {
		int seen = atomic_load(&count);
		int wanted = seen + 2;
		if (atomic_compare_exchange_strong(&count, &seen, wanted))
			return unused;
	}
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
