/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls while exploring.  What goes to standard output or standard error, by whatever descriptor, is an operation
 * with its bytes and is not written: the user wants to see outcomes, not the output of a million executions.
 */
#include <sys/uio.h>

#include "rt/explore.h"
#include "rt/libc_refused.h"
#include "rt/outside.h"
#include "rt/sys.h"

static void put_out(struct call *c, int outlet)
{
	const struct iovec *v = (const void *)c->arg[1];
	c->result = 0;
	switch (c->nr) {
	case SYS_write: case SYS_pwrite64: case SYS_sendto:
		explore_output(outlet, (const void *)c->arg[1], (size_t)c->arg[2], g.hook_pc);
		c->result = c->arg[2];
		return;
	case SYS_writev: case SYS_pwritev: case SYS_pwritev2:
		for (long i = 0; i < c->arg[2]; i++) {
			explore_output(outlet, v[i].iov_base, v[i].iov_len, g.hook_pc);
			c->result += (long)v[i].iov_len;
		}
		return;
	}
	libc_refuse("a copy between descriptors to standard output, while exploring", g.hook_pc);
}

static int outlet_of(const struct call *c)
{
	bool is_copy = c->nr == SYS_splice || c->nr == SYS_copy_file_range;
	return descriptor_outlet((int)c->arg[is_copy ? 2 : c->nr == SYS_tee ? 1 : 0]);
}

bool explore_call(struct call *c)
{
	enum call_class class = call_class(c->nr);
	int outlet = class == CLASS_OUTPUT || class == CLASS_WAIT_OUT ? outlet_of(c) : 0;
	if (!outlet)
		return false;
	put_out(c, outlet);
	return true;
}
