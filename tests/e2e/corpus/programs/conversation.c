/* SPDX-License-Identifier: Apache-2.0 */
/* Question and answer over a socket pair.  Wrong: both sides read first. */
#include <sys/socket.h>
#include <unistd.h>
#include "threads.h"

static int ends[2];

static void send_byte(int end)
{
	char byte = 1;
	if (write(end, &byte, 1) != 1)
		abort();
}

static void receive_byte(int end)
{
	char byte;
	if (read(end, &byte, 1) != 1)
		abort();
}

static void *answer(void *unused)
{
	(void)unused;
	receive_byte(ends[1]);
	send_byte(ends[1]);
	return NULL;
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		abort();
	start(answer, 0);
#ifdef WRONG
	receive_byte(ends[0]);
	send_byte(ends[0]);
#else
	send_byte(ends[0]);
	receive_byte(ends[0]);
#endif
	finish();
	return 0;
}
