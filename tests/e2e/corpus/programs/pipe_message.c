/* SPDX-License-Identifier: Apache-2.0 */
/* A byte through a pipe says that a buffer is filled.  Wrong: the buffer is filled after the byte was sent. */
#include <unistd.h>
#include "threads.h"

static int ends[2];
static int buffer;

static void *produce(void *unused)
{
	(void)unused;
	char token = 1;
#ifndef WRONG
	buffer = 8;
#endif
	if (write(ends[1], &token, 1) != 1)
		abort();
#ifdef WRONG
	buffer = 8;
#endif
	return NULL;
}

int main(void)
{
	char token;
	if (pipe(ends) != 0)
		abort();
	start(produce, 0);
	if (read(ends[0], &token, 1) != 1)
		abort();
	int seen = buffer;
	finish();
	return seen == 8 ? 0 : 1;
}
