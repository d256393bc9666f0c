/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls while exploring.  Every execution must find the outside as the first one did, and
 * leave nothing there.
 *
 *   standard output and error   by whatever descriptor: an operation with its bytes; nothing is
 *                               written
 *   standard input              read once, kept in shared memory, and given to each execution
 *                               from its beginning
 *   numbers of processes        the answer that the first execution got
 *   randomness                  a fixed sequence for each thread
 *   questions                   (stat, isatty, limits, ...) asked again: nothing changes by that
 *   other processes             refused
 *   anything else               is done: files that are written stay written, and the next
 *                               execution finds them so.  It cannot be undone in place, so such a
 *                               program is restarted by fork, which a text says.  Two such calls
 *                               may mean the same file or pipe: they are dependent, all of them
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "rt/event.h"
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/hot.h"
#include "rt/libc_refused.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/rt.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

static RT_STATE uint64_t input_at; /* of standard input, in this execution */
/* descriptor 0 is not what the program was started with */
static RT_STATE bool input_is_other;

/* ---- output ---- */

static void put_out(struct call *c, int outlet)
{
	const struct iovec *v = (const void *)c->arg[1];
	c->result = 0;
	switch (c->nr) {
	case SYS_write:
	case SYS_pwrite64:
	case SYS_sendto:
		explore_output(outlet, (const void *)c->arg[1], (size_t)c->arg[2], g.hook_pc);
		c->result = c->arg[2];
		return;
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
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

/* ---- standard input ---- */

static long take_input(char *to, size_t n)
{
	struct wire_explore *x = explore_shared();
	char *kept = (char *)x + x->input_offset;
	if (input_at == x->input_count && !x->input_has_ended) {
		size_t room = x->input_room - x->input_count;
		if (!room)
			libc_refuse("more than 16 MiB of standard input, while exploring",
				    g.hook_pc);
		struct call c = { .nr = SYS_read,
				  .arg = { 0, (long)(kept + x->input_count),
					   (long)(n < room ? n : room) } };
		long got = call_perform(&c);
		if (got < 0)
			return got;
		x->input_count += (uint64_t)got;
		x->input_has_ended = got == 0;
	}
	uint64_t left = x->input_count - input_at;
	n = n < left ? n : left;
	rt_memcpy(to, kept + input_at, n);
	input_at += n;
	return (long)n;
}

/* Calls on descriptor 0, as long as it is what it was. */
static bool is_input(struct call *c)
{
	const struct iovec *v = (const void *)c->arg[1];
	bool replaces = (c->nr == SYS_dup2 || c->nr == SYS_dup3) && c->arg[1] == 0;
	if (replaces || (c->nr == SYS_close && c->arg[0] == 0) ||
	    (c->nr == SYS_close_range && c->arg[0] == 0))
		input_is_other = true;
	if (c->arg[0] || input_is_other)
		return false;
	switch (c->nr) {
	case SYS_read:
		c->result = take_input((char *)c->arg[1], (size_t)c->arg[2]);
		return true;
	case SYS_readv:
		c->result = 0;
		for (long i = 0, got = 0; i < c->arg[2]; i++) {
			got = take_input(v[i].iov_base, v[i].iov_len);
			c->result += got;
			if (got < (long)v[i].iov_len)
				break;
		}
		return true;
	case SYS_lseek:
		c->result = -ESPIPE; /* it is given like a pipe, whatever it is */
		return true;
	case SYS_pread64:
	case SYS_preadv:
	case SYS_preadv2:
		libc_refuse("positioned reads of standard input, while exploring", g.hook_pc);
	}
	return false;
}

/* ---- answers ---- */

static bool is_number_of_process(long nr)
{
	switch (nr) {
	case SYS_getpid:
	case SYS_gettid:
	case SYS_getppid:
	case SYS_getpgrp:
	case SYS_getpgid:
	case SYS_getsid:
		return true;
	}
	return false;
}

static void answer_as_before(struct call *c)
{
	struct wire_explore *x = explore_shared();
	struct wire_answer *a = x->answers;
	while (a < x->answers + WIRE_ANSWERS && a->call &&
	       (a->call != (uint64_t)c->nr || a->argument != c->arg[0]))
		a++;
	if (a < x->answers + WIRE_ANSWERS && a->call) {
		c->result = a->result;
	} else {
		c->result = call_perform(c);
		if (a < x->answers + WIRE_ANSWERS)
			*a = (struct wire_answer){ (uint64_t)c->nr, c->arg[0], c->result };
	}
	descriptors_follow(c);
}

static void answer_random(struct call *c)
{
	outside_random_bytes((void *)c->arg[0], (size_t)c->arg[1]);
	c->result = c->arg[1];
}

/* Questions that change nothing outside the program's memory, and answers that only the runtime's
 * model gives. */
static bool has_no_effect(const struct call *c)
{
	switch (c->nr) {
	case SYS_stat:
	case SYS_fstat:
	case SYS_lstat:
	case SYS_newfstatat:
	case SYS_statx:
	case SYS_access:
	case SYS_faccessat:
	case SYS_readlink:
	case SYS_readlinkat:
	case SYS_getcwd:
	case SYS_uname:
	case SYS_sysinfo:
	case SYS_getuid:
	case SYS_geteuid:
	case SYS_getgid:
	case SYS_getegid:
	case SYS_getrusage:
	case SYS_getrlimit:
	case SYS_sched_getaffinity:
	case SYS_sched_yield:
	case SYS_clock_gettime:
	case SYS_clock_getres:
	case SYS_time:
	case SYS_gettimeofday:
	case SYS_times:
	case SYS_sigaltstack:
	case SYS_rt_sigpending:
	case SYS_mincore:
	case SYS_membarrier:
	case SYS_getcpu:
	case SYS_sched_get_priority_max:
	case SYS_sched_get_priority_min:
	case SYS_exit:
	case SYS_exit_group:
	case SYS_rt_sigreturn:
	case SYS_futex:
		return true;
	case SYS_rt_sigprocmask:
	case SYS_rt_sigaction:
		return true; /* given back with the rest (explore_restart.c) */
	case SYS_prlimit64:
		return !c->arg[2];
	case SYS_ioctl:
		return c->arg[1] == 0x5401; /* TCGETS: is it a terminal? */
	}
	return false;
}

static RT_KEPT char outside; /* stands for all of it */

void explore_might_put_out(int descriptor, pc_t pc)
{
	if (!g.exploring || descriptor < 0)
		return;
	int outlet = descriptor_outlet(descriptor);
	if (outlet)
		explore_op(OP_OUTPUT, (uint64_t)outlet, 0, 0, 0, OPF_MIGHT, pc);
	else if (descriptor || input_is_other)
		explore_op(EV_HIDDEN, (uintptr_t)&outside, 1, 0, 0, OPF_MIGHT, pc);
}

/* A write, or the end of writing, is before the read that finds it. */
static void report_channel(const struct call *c)
{
	enum call_class class = call_class(c->nr);
	bool is_to_put = class == CLASS_WAIT_OUT || class == CLASS_OUTPUT || c->nr == SYS_close;
	uint32_t channel = outside_channel((int)c->arg[0], is_to_put);
	if (FAULT(PIPE_DOES_NOT_SYNCHRONISE))
		return;
	if (channel && c->result >= 0 && (is_to_put || class == CLASS_WAIT_IN))
		ev_sync(EV_HIDDEN, channel, HIDDEN_CHANNEL, is_to_put ? CHANNEL_PUT : CHANNEL_TAKEN,
			0, g.hook_pc);
}

/* A wait without a deadline ends with a call, which uses the outside as every call does. */
void explore_list_io_wait(bool is_timed)
{
	if (!g.exploring)
		return;
	bool is_blocked = is_timed;
	if (FAULT(FINAL_READ_IS_BLOCKED))
		is_blocked = true;
	if (is_blocked)
		explore_op(OP_BLOCKED, 0, 0, 0, 0,
			   (is_timed ? OPF_TIMED : 0) | explore_cancellable(), g.hook_pc);
	else
		explore_op(OP_BLOCKED, (uintptr_t)&outside, 0, 0, HIDDEN_CHANNEL,
			   explore_cancellable(), g.hook_pc);
}

void explore_made(const struct call *c)
{
	report_channel(c);
	if (!has_no_effect(c))
		ev_sync(EV_HIDDEN, (uintptr_t)&outside, 0, 1, 0, g.hook_pc);
}

bool explore_call(struct call *c)
{
	enum call_class class = call_class(c->nr);
	int outlet = class == CLASS_OUTPUT || class == CLASS_WAIT_OUT ? outlet_of(c) : 0;
	if (class == CLASS_FORKS)
		libc_refuse("another process, while exploring", g.hook_pc);
	if (outlet) {
		put_out(c, outlet);
		return true;
	}
	if (is_input(c))
		return true;
	if (is_number_of_process(c->nr)) {
		answer_as_before(c);
		return true;
	}
	if (c->nr == SYS_getrandom) {
		answer_random(c);
		return true;
	}
	if (class != CLASS_UNKNOWN && class != CLASS_ABSENT && !has_no_effect(c))
		explore_not_in_place(c->nr);
	return false;
}
