/* SPDX-License-Identifier: Apache-2.0 */
/* Readers count their hits.  Wrong: with a plain increment under the read lock. */
#include <stdatomic.h>
#include "threads.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#ifdef WRONG
static int hits;
#else
static atomic_int hits;
#endif
static int table = 7;

static void *lookup(void *unused)
{
	(void)unused;
	pthread_rwlock_rdlock(&lock);
	if (table == 7)
		hits++;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(lookup, 0);
	start(lookup, 0);
	finish();
	return hits == 2 ? 0 : 1;
}
