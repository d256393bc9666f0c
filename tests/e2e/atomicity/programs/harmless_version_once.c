/* SPDX-License-Identifier: Apache-2.0 */
/* The same without another try: a late thread does not write. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int version, value;

static void *replace(void *unused)
{
	int seen = atomic_load(&value);
	int expected = seen;
	if (atomic_compare_exchange_strong(&version, &expected, seen + 1))
		atomic_store(&value, seen + 1);
	return unused;
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
