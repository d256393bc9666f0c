/* SPDX-License-Identifier: Apache-2.0 */
// Release and acquire order the plain accesses; a fence does so for a relaxed flag.
// STATUS 0
// COMPLETE true
#include <pthread.h>
#include <stdatomic.h>

static int data, more;
static atomic_int ready, flag;

static void *other(void *unused)
{
	data = 1;
	atomic_store_explicit(&ready, 1, memory_order_release);
	more = 1;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return unused;
}

int main(void)
{
	pthread_t t;
	int sum = 0;
	pthread_create(&t, NULL, other, NULL);
	if (atomic_load_explicit(&ready, memory_order_acquire))
		sum += data;
	if (atomic_load_explicit(&flag, memory_order_relaxed)) {
		atomic_thread_fence(memory_order_acquire);
		sum += more;
	}
	pthread_join(t, NULL);
	return sum > 2;
}
