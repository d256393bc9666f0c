/* SPDX-License-Identifier: Apache-2.0 */
/* A compare-exchange that fails is tried again with what it saw. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int count;

static void *add(void *unused)
{
	int seen = atomic_load(&count);
	while (!atomic_compare_exchange_weak(&count, &seen, seen + 1))
		;
	return unused;
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
