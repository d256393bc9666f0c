/* SPDX-License-Identifier: Apache-2.0 */
/* One thread writes, and THREADS threads read. */
#include "threads.h"

SHARED written;

static void *write_one(void *unused)
{
	SET(written, 1);
	return unused;
}

static void *read_one(void *unused)
{
	assert(GET(written) <= 1);
	return unused;
}

int main(void)
{
	start_all(THREADS, read_one);
	start(THREADS, write_one);
	join_all(THREADS + 1);
	return 0;
}
