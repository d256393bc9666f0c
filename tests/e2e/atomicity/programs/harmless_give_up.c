/* SPDX-License-Identifier: Apache-2.0 */
/* Who loses a compare-exchange gives up: somebody else has done it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int owner;

static void *claim(void *id)
{
	if (atomic_load(&owner) == 0) {
		int nobody = 0;
		atomic_compare_exchange_strong(&owner, &nobody, id ? 2 : 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, claim, NULL);
	pthread_create(&b, NULL, claim, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
