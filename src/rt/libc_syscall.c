/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall(): system calls by number.  A futex is modelled.  Calls that only ask are inputs; calls
 * whose wrapper of the usual name says all there is to say are made through that wrapper's real
 * function with the same events.  Everything else might do anything, and is refused by name and
 * number.
 *
 * Calls that a library without hooks makes, other than futexes, are its own affair.
 */
#include <sys/syscall.h>

#include "rt/chunk.h"
#include "rt/futex.h"
#include "rt/libc_refused.h"
#include "rt/libc_wrap.h"
#include "rt/module.h"
#include "rt/sched.h"
#include "rt/thread.h"
#include "wire/wire.h"

static const char *const names[] = {
#include "syscalls.inc"
};

static char *append(char *at, const char *text)
{
	while (*text)
		*at++ = *text++;
	*at = 0;
	return at;
}

void libc_refuse_call(long number, pc_t pc)
{
	char text[128], digits[24], *d = digits + sizeof(digits);
	unsigned long n = (unsigned long)number;
	*--d = 0;
	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	bool is_known =
		number >= 0 && (size_t)number < sizeof(names) / sizeof(*names) && names[number];
	char *at = append(text, "syscall(");
	if (is_known)
		at = append(append(append(at, "SYS_"), names[number]), ", number ");
	append(append(at, d), ")");
	libc_refuse(text, pc);
}

static long controlled(long number, const long *a, pc_t pc)
{
	switch (number) {
	case SYS_futex:
		return futex((uint32_t *)a[0], (int)a[1], (uint32_t)a[2],
			     (const struct timespec *)a[3], (uint32_t)a[5], pc);
	case SYS_gettid:
		return REAL_FN(getpid)() + (long)g.cur->id;
	case SYS_getpid:
	case SYS_getppid:
	case SYS_getuid:
	case SYS_geteuid:
	case SYS_getgid:
	case SYS_getegid:
	case SYS_getpgrp:
		return LIBC_CALL(REAL_FN(syscall)(number));
	case SYS_getrandom: {
		libc_will_write((void *)a[0], (size_t)a[1], pc);
		long n = LIBC_CALL(REAL_FN(syscall)(number, a[0], a[1], a[2]));
		if (n > 0)
			rt_libc_wrote((void *)a[0], (size_t)n, pc);
		return n;
	}
	case SYS_membarrier:
		ev_sync(EV_FENCE, 0, MODE_SEQ_CST, 0, 0, pc);
		return LIBC_CALL(REAL_FN(syscall)(number, a[0], a[1], a[2]));
	case SYS_sched_yield:
		sched_yield_now();
		rt_point();
		ev_sync(EV_YIELD, 0, 0, 0, 0, pc);
		return 0;
	}
	libc_refuse_call(number, pc);
}

RT_EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list ap;
	va_start(ap, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	bool is_ours = number == SYS_futex || !rt_is_libc_code(PC);
	if (!is_ours || !rt_wrapper(PC))
		return REAL_FN(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	return controlled(number, a, PC);
}
