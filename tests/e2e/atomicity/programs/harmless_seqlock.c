/* SPDX-License-Identifier: Apache-2.0 */
/* A reader that looks again whether somebody wrote while it read. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <assert.h>

static atomic_int sequence, x, y;

static void *writes(void *unused)
{
	int now = atomic_load(&sequence);
	atomic_store(&sequence, now + 1);
	atomic_store(&x, 1);
	atomic_store(&y, 1);
	atomic_store(&sequence, now + 2);
	return unused;
}

static void *reads(void *unused)
{
	int before, after, a, b;
	do {
		before = atomic_load(&sequence);
		a = atomic_load(&x);
		b = atomic_load(&y);
		after = atomic_load(&sequence);
	} while (before & 1 || before != after);
	assert(a == b);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, writes, NULL);
	pthread_create(&b, NULL, reads, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
