/* SPDX-License-Identifier: Apache-2.0 */
/* Both write the same if there is nothing yet. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int known;

static void *find(void *unused)
{
	if (atomic_load(&known) == 0)
		atomic_store(&known, 42);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, find, NULL);
	pthread_create(&b, NULL, find, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
