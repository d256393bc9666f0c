/* SPDX-License-Identifier: Apache-2.0 */
/* A cache is filled on the first miss.  Wrong: the reader asks for the write lock while it holds the read lock. */
#include "threads.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int filled;

static void *lookup(void *unused)
{
	(void)unused;
	pthread_rwlock_rdlock(&lock);
	int hit = filled;
#ifndef WRONG
	pthread_rwlock_unlock(&lock);
#endif
	if (!hit) {
		pthread_rwlock_wrlock(&lock);
		filled = 1;
		pthread_rwlock_unlock(&lock);
	}
#ifdef WRONG
	pthread_rwlock_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	start(lookup, 0);
	start(lookup, 0);
	finish();
	assert(filled);
	return 0;
}
