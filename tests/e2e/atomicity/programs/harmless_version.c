/* SPDX-License-Identifier: Apache-2.0 */
/* A compare-exchange of a version decides whether a value that was read before may be replaced. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int version, value;

static void *replace(void *unused)
{
	for (;;) {
		int now = atomic_load(&version);
		if (now & 1)
			continue;
		int seen = atomic_load(&value);
		if (atomic_compare_exchange_strong(&version, &now, now + 1)) {
			atomic_store(&value, seen + 1);
			atomic_store(&version, now + 2);
			return unused;
		}
	}
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, replace, NULL);
	pthread_create(&b, NULL, replace, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
