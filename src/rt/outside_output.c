/* SPDX-License-Identifier: Apache-2.0 */
/* Output that a replay shows: what the recorded calls wrote to where the user looks. */
#include <errno.h>
#include <sys/uio.h>

#include "rt/outside.h"
#include "rt/rt.h"
#include "rt/sys.h"

static void write_shown(int fd, const char *p, size_t n)
{
	while (n) {
		long done = sys3(SYS_write, fd, p, n);
		if (done == -EINTR || done == -EAGAIN)
			continue;
		if (done <= 0)
			return;
		p += done;
		n -= (size_t)done;
	}
}

void outside_show(const struct call *c)
{
	bool is_copy = c->nr == SYS_splice || c->nr == SYS_copy_file_range;
	int fd = descriptor_outlet((int)c->arg[is_copy ? 2 : c->nr == SYS_tee ? 1 : 0]);
	size_t n = (size_t)c->result;
	if (!fd || c->result <= 0)
		return;
	switch (c->nr) {
	case SYS_write:
	case SYS_pwrite64:
	case SYS_sendto:
		write_shown(fd, (const char *)c->arg[1], n);
		break;
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2: {
		const struct iovec *v = (const void *)c->arg[1];
		for (; n; v++) {
			size_t here = v->iov_len < n ? v->iov_len : n;
			write_shown(fd, v->iov_base, here);
			n -= here;
		}
		break;
	}
	case SYS_sendfile:
	case SYS_splice:
	case SYS_copy_file_range:
	case SYS_tee:
		write_shown(fd, outside_copied, n);
		break;
	}
}
