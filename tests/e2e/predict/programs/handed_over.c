/* SPDX-License-Identifier: Apache-2.0 */
/* One thread gives data to another through the kernel, as HOW says; with BUG the other one does not wait for it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PIPE, PIPE_VECTOR, EVENT, PAIR, FILE_POLLED };
static int ends[2], data;

static void *give(void *unused)
{
	char text[8] = "1234567";
	struct iovec parts = { text, sizeof(text) };
	data = 1;
	long n = HOW == PIPE_VECTOR ? writev(ends[1], &parts, 1) : write(ends[1], text, sizeof(text));
	return n == sizeof(text) ? unused : &data;
}

int main(void)
{
	pthread_t t;
	char text[8], name[] = "handed.XXXXXX";
	if (HOW == PIPE || HOW == PIPE_VECTOR) {
		if (pipe(ends))
			return 1;
	} else if (HOW == EVENT) {
		ends[0] = ends[1] = eventfd(0, 0);
	} else if (HOW == PAIR) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			return 1;
	} else {
		ends[1] = mkstemp(name);
		ends[0] = open(name, O_RDONLY);
		unlink(name);
	}
	pthread_create(&t, NULL, give, NULL);
#ifdef BUG
	data++;
#endif
	while (read(ends[0], text, sizeof(text)) != sizeof(text))
		;
#ifndef BUG
	data++;
#endif
	pthread_join(t, NULL);
	return 0;
}
