/* SPDX-License-Identifier: Apache-2.0 */
/* A block for each thread.  Wrong: the thread frees it and leaves it to the destructor of the key as well. */
#include "threads.h"

static pthread_key_t key;

static void *work(void *unused)
{
	(void)unused;
	int *mine = malloc(sizeof *mine);
	*mine = 1;
	pthread_setspecific(key, mine);
#ifdef WRONG
	free(pthread_getspecific(key));
#endif
	return NULL;
}

int main(void)
{
	pthread_key_create(&key, free);
	start(work, 0);
	start(work, 0);
	finish();
	return 0;
}
