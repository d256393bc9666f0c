/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads write one variable, and one reads it. */
#include "threads.h"

SHARED written;

static void *write_own(void *number)
{
	SET(written, NUMBER(number) + 1);
	return NULL;
}

static void *read_one(void *unused)
{
	assert(GET(written) <= THREADS);
	return unused;
}

int main(void)
{
	start_all(THREADS, write_own);
	start(THREADS, read_one);
	join_all(THREADS + 1);
	return 0;
}
