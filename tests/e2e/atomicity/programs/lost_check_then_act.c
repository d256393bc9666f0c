/* SPDX-License-Identifier: Apache-2.0 */
/* DEPENDS: whether
 * A thread that finds no owner becomes the owner, even if another has done so meanwhile. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int owner;

static void *first(void *unused)
{
	if (atomic_load(&owner) == 0)
		atomic_store(&owner, 1);
	return unused;
}

static void *second(void *unused)
{
	if (atomic_load(&owner) == 0)
		atomic_store(&owner, 2);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
