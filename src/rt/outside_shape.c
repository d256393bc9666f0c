/* SPDX-License-Identifier: Apache-2.0 */
/* What system calls are and which memory they fill, as calls.def says and where it says SPECIAL. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "rt/outside.h"
#include "rt/probe.h"
#include "rt/rt.h"
#include "rt/sys.h"
#include "wire/wire.h"

#define CALLS 512

enum output_how { HOW_NONE, HOW_RESULT, HOW_FIXED, HOW_TIMES, HOW_VECTOR, HOW_SIZED, HOW_SPECIAL };

struct output {
	uint8_t how, arg, other;
	uint16_t size;
};

struct shape {
	uint8_t class;
	struct output out[2];
};

#define NONE                      \
	{                         \
		HOW_NONE, 0, 0, 0 \
	}
#define RESULT(i, n)                \
	{                           \
		HOW_RESULT, i, 0, n \
	}
#define FIXED(i, n)                \
	{                          \
		HOW_FIXED, i, 0, n \
	}
#define TIMES(i, k, n)             \
	{                          \
		HOW_TIMES, i, k, n \
	}
#define VECTOR(i)                   \
	{                           \
		HOW_VECTOR, i, 0, 0 \
	}
#define SIZED(i, k)                \
	{                          \
		HOW_SIZED, i, k, 0 \
	}
#define SPECIAL                      \
	{                            \
		HOW_SPECIAL, 0, 0, 0 \
	}
static const struct shape shapes[CALLS] = {
#define CALL(number, name, class_, first, second) [number] = { CLASS_##class_, { first, second } },
#include "wire/calls.def"
#undef CALL
};

RT_KEPT char outside_copied[WIRE_MAX_DATA];

static const struct shape *shape_of(long nr)
{
	static const struct shape unknown;
	return nr >= 0 && nr < CALLS ? &shapes[nr] : &unknown;
}

enum call_class call_class(long nr)
{
	return (enum call_class)shape_of(nr)->class;
}

void call_prepare(struct call *c)
{
	const struct shape *s = shape_of(c->nr);
	for (int i = 0; i < 2; i++) {
		const struct output *o = &s->out[i];
		if (o->how == HOW_SIZED && c->arg[o->arg] && c->arg[o->other])
			rt_load(&c->room, (const void *)c->arg[o->other], sizeof(c->room));
	}
	struct msghdr m;
	if (c->nr == SYS_recvmsg && rt_load(&m, (const void *)c->arg[1], sizeof(m)))
		c->room = m.msg_namelen;
}

typedef void use_output(struct call *c, void *p, size_t n);

/* The result may count more than there was room for (MSG_TRUNC). */
static void vector(struct call *c, const struct iovec *v, size_t count, size_t n, use_output *use)
{
	for (; n && count; v++, count--) {
		size_t here = v->iov_len < n ? v->iov_len : n;
		if (here)
			use(c, v->iov_base, here);
		n -= here;
	}
}

/* The length is filled before the bytes, whose number depends on it. */
static void sized(struct call *c, void *p, void *len, use_output *use)
{
	if (!p || !len)
		return;
	use(c, len, sizeof(uint32_t));
	uint32_t n = *(const uint32_t *)len;
	if (n > c->room)
		n = c->room;
	if (n)
		use(c, p, n);
}

static void message(struct call *c, struct msghdr *m, use_output *use)
{
	vector(c, m->msg_iov, m->msg_iovlen, (size_t)c->result, use);
	use(c, &m->msg_namelen, sizeof(m->msg_namelen));
	use(c, &m->msg_controllen, sizeof(m->msg_controllen));
	use(c, &m->msg_flags, sizeof(m->msg_flags));
	uint32_t name = m->msg_namelen < c->room ? m->msg_namelen : c->room;
	if (m->msg_name && name)
		use(c, m->msg_name, name);
	if (m->msg_control && m->msg_controllen)
		use(c, m->msg_control, m->msg_controllen);
}

/* Requests that are older than the scheme which tells direction and size by the number. */
static size_t request_output(unsigned long request)
{
	switch (request) {
	case TCGETS:
		return 36;
	case TIOCGWINSZ:
		return sizeof(struct winsize);
	case FIONREAD:
	case TIOCOUTQ:
	case TIOCGPGRP:
	case TIOCGSID:
		return sizeof(int);
	}
	return _IOC_DIR(request) & _IOC_READ ? _IOC_SIZE(request) : 0;
}

static void special(struct call *c, use_output *use)
{
	size_t n;
	switch (c->nr) {
	case SYS_ioctl:
		n = request_output((unsigned long)c->arg[1]);
		if (n && c->arg[2])
			use(c, (void *)c->arg[2], n);
		break;
	case SYS_fcntl:
		if (c->arg[1] == F_GETLK || c->arg[1] == F_OFD_GETLK)
			use(c, (void *)c->arg[2], sizeof(struct flock));
		break;
	case SYS_recvmsg:
		message(c, (struct msghdr *)c->arg[1], use);
		break;
	case SYS_sendmmsg:
		for (long i = 0; i < c->result; i++)
			use(c, &((struct mmsghdr *)c->arg[1])[i].msg_len, sizeof(unsigned));
		break;
	case SYS_select:
	case SYS_pselect6:
		n = ((size_t)c->arg[0] + 63) / 64 * 8;
		for (int i = 1; n && i <= 3; i++)
			if (c->arg[i])
				use(c, (void *)c->arg[i], n);
		break;
	case SYS_get_mempolicy: /* a bit for each node */
		n = ((size_t)c->arg[2] + 63) / 64 * 8;
		if (n && c->arg[1])
			use(c, (void *)c->arg[1], n);
		break;
	case SYS_getresuid:
	case SYS_getresgid:
		use(c, (void *)c->arg[1], 4);
		use(c, (void *)c->arg[2], 4);
		break;
	}
}

/* Some calls, given no room, tell how much they would need; a datagram may be longer than its room.
 */
static size_t within_room(const struct call *c, const struct output *o, size_t n)
{
	size_t room = n;
	switch (c->nr) {
	case SYS_getxattr:
	case SYS_lgetxattr:
	case SYS_fgetxattr:
	case SYS_listxattr:
	case SYS_llistxattr:
	case SYS_flistxattr:
	case SYS_recvfrom:
		room = (size_t)c->arg[o->arg + 1];
		break;
	case SYS_getgroups:
		room = (size_t)c->arg[0] * o->size;
		break;
	}
	return n < room ? n : room;
}

static void one_output(struct call *c, const struct output *o, use_output *use)
{
	void *p = (void *)c->arg[o->arg];
	size_t n = 0;
	switch (o->how) {
	case HOW_RESULT:
		n = within_room(c, o, (size_t)c->result * o->size);
		break;
	case HOW_FIXED:
		n = o->size;
		break;
	case HOW_TIMES:
		n = (size_t)c->arg[o->other] * o->size;
		break;
	case HOW_VECTOR:
		vector(c, p, (size_t)c->arg[o->arg + 1], (size_t)c->result, use);
		return;
	case HOW_SIZED:
		sized(c, p, (void *)c->arg[o->other], use);
		return;
	case HOW_SPECIAL:
		special(c, use);
		return;
	}
	if (p && n)
		use(c, p, n);
}

/* Bytes that were copied to where the user looks must be known to a replay. */
static bool copies_to_outlet(const struct call *c)
{
	switch (c->nr) {
	case SYS_sendfile:
		return descriptor_outlet((int)c->arg[0]);
	case SYS_tee:
		return descriptor_outlet((int)c->arg[1]);
	case SYS_splice:
	case SYS_copy_file_range:
		return descriptor_outlet((int)c->arg[2]);
	}
	return false;
}

void call_outputs(struct call *c, void (*use)(struct call *c, void *p, size_t n))
{
	if (c->result < 0)
		return;
	const struct shape *s = shape_of(c->nr);
	for (int i = 0; i < 2; i++)
		one_output(c, &s->out[i], use);
	if (c->result && copies_to_outlet(c))
		use(c, outside_copied, (size_t)c->result);
}
