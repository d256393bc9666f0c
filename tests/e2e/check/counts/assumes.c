/* SPDX-License-Identifier: Apache-2.0 */
// An assumption that holds in some executions.
#include <heddle/explore.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void *store(void *unused)
{
	atomic_store(&x, 1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, store, NULL);
	heddle_assume(atomic_load(&x));
	pthread_join(thread, NULL);
	return 0;
}
