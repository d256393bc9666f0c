/* SPDX-License-Identifier: Apache-2.0 */
/* A ticket lock.  Wrong: a ticket is drawn in two steps. */
#include <stdatomic.h>
#include "threads.h"

static atomic_int next, serving;
static atomic_int inside;

static void *enter(void *unused)
{
	(void)unused;
#ifdef WRONG
	int mine = atomic_load(&next);
	atomic_store(&next, mine + 1);
#else
	int mine = atomic_fetch_add(&next, 1);
#endif
	while (atomic_load(&serving) != mine)
		;
	assert(atomic_fetch_add(&inside, 1) == 0);
	atomic_fetch_sub(&inside, 1);
	atomic_store(&serving, mine + 1);
	return NULL;
}

int main(void)
{
	start(enter, 0);
	start(enter, 0);
	finish();
	return 0;
}
