/* SPDX-License-Identifier: Apache-2.0 */
/* The last owner frees.  Wrong: the count is decremented and tested in two steps. */
#include <stdatomic.h>
#include "threads.h"

static struct shared {
	atomic_int owners;
	atomic_int uses;
} *shared;

static void *own(void *unused)
{
	(void)unused;
	struct shared *mine = shared;
	atomic_fetch_add(&mine->uses, 1);
#ifdef WRONG
	atomic_fetch_sub(&mine->owners, 1);
	if (atomic_load(&mine->owners) == 0)
		free(mine);
#else
	if (atomic_fetch_sub(&mine->owners, 1) == 1)
		free(mine);
#endif
	return NULL;
}

int main(void)
{
	shared = malloc(sizeof *shared);
	atomic_init(&shared->owners, 2);
	atomic_init(&shared->uses, 0);
	start(own, 0);
	start(own, 0);
	finish();
	return 0;
}
