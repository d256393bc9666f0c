/* SPDX-License-Identifier: Apache-2.0 */
/* A structure is copied as a whole.  Wrong: without the lock under which its fields change together. */
#include <string.h>
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair {
	long a[4];
} shared;

static void *change(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 4; i++)
		shared.a[i]++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	struct pair copy;
	start(change, 0);
#ifndef WRONG
	pthread_mutex_lock(&lock);
#endif
	memcpy(&copy, &shared, sizeof copy);
#ifndef WRONG
	pthread_mutex_unlock(&lock);
#endif
	finish();
	assert(copy.a[0] == copy.a[3]);
	return 0;
}
