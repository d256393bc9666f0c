/* SPDX-License-Identifier: Apache-2.0 */
// STATUS 1
// KIND livelock
// OPTIONS --kinds=livelock
// The one who sets the flag may come first: then nobody sets it again.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *set(void *unused)
{
	atomic_store(&flag, 1);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, set, NULL);
	atomic_store(&flag, 0);
	while (!atomic_load(&flag))
		;
	pthread_join(t, NULL);
	return 0;
}
