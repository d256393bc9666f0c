/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runtime cannot follow by number either: it says so by name; and rings of requests do
 * not exist, as on a kernel without them.
 *
 * refused: syscall\(SYS_process_vm_readv, number 310\)
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
	char from[] = "memory", to[sizeof(from)];
	struct iovec local = { to, sizeof(to) }, remote = { from, sizeof(from) };
	long ring = syscall(SYS_io_uring_setup, 1, NULL);
	assert(ring == -1 && (errno == ENOSYS || errno == EFAULT || errno == EPERM));
	if (syscall(SYS_process_vm_readv, getpid(), &local, 1l, &remote, 1l, 0l) != sizeof(from))
		return 0;
	assert(!memcmp(from, to, sizeof(to)));
	return 0;
}
