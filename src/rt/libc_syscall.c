/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall(): system calls by number.  A call that has a function in libc is handed to the wrapper
 * of that function, so it makes the same events and passes the same models (by_number.def, and
 * below those whose arguments or results differ).  One that has none is made as it is, if the
 * border knows it (wire/calls.def), and what it filled is reported.  Everything else might do
 * anything, and is refused by name and number.
 *
 * Calls that a library without hooks makes, other than futexes, are its own affair.
 */
#include <sys/syscall.h>

#include "rt/chunk.h"
#include "rt/futex.h"
#include "rt/libc_fd.h"
#include "rt/libc_process.h"
#include "rt/libc_refused.h"
#include "rt/libc_wrap.h"
#include "rt/module.h"
#include "rt/sched.h"
#include "rt/signals.h"
#include "rt/thread.h"
#include "rt/timer.h"
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

/* ---- calls that wrappers make ---- */

enum result_type { RESULT_INT, RESULT_ID, RESULT_LONG };

static const struct {
	const char *function;
	enum result_type result;
} by_number[] = {
#define BY_NUMBER(call, function, result) [SYS_##call] = { #function, RESULT_##result },
#include "rt/by_number.def"
#undef BY_NUMBER
};

long call_by_number(void *function, const long *a); /* call_as.S */

pc_t rt_caller_by_number(void)
{
	return g.cur->library.by_number;
}

static long call_wrapper(const char *function, enum result_type type, const long *a)
{
	long result = call_by_number(runtime_function(function), a);
	return type == RESULT_INT ? (int)result : type == RESULT_ID ? (unsigned)result : result;
}

static long failed(int error)
{
	errno = error;
	return -1;
}

/* ---- calls that are made as they are ---- */

static void report_filled(struct call *c, void *p, size_t n)
{
	(void)c;
	rt_libc_wrote(p, n, g.cur->library.by_number);
}

static bool can_be_made(long number)
{
	switch (call_class(number)) {
	case CLASS_INPUT:
	case CLASS_POLLS:
	case CLASS_ABSENT:
		return true;
	case CLASS_PASS:
		return number == SYS_mlock || number == SYS_munlock || number == SYS_mlockall ||
		       number == SYS_munlockall || number == SYS_mlock2;
	default:
		return false;
	}
}

static long made_as_it_is(long number, const long *a, pc_t pc)
{
	struct call c = { .nr = number, .arg = { a[0], a[1], a[2], a[3], a[4], a[5] } };
	if (!can_be_made(number))
		libc_refuse_call(number, pc);
	rt_wrapper(pc);
	call_prepare(&c);
	c.result = LIBC_CALL(REAL_FN(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]));
	call_outputs(&c, report_filled);
	if (number == SYS_openat2)
		libc_opened((int)c.result, pc);
	if (number == SYS_sched_getaffinity && c.result > 0)
		libc_show_all_processors((size_t)c.result, (cpu_set_t *)a[2]);
	return c.result;
}

/* ---- calls whose arguments or results are not those of the function ---- */

static long get_directory(const long *a)
{
	const char *path = (const char *)call_wrapper("getcwd", RESULT_LONG, a);
	return path ? (long)rt_strlen(path) + 1 : -1;
}

/* The kernel answers with the break as it is afterwards, whether it could be moved or not. */
static long set_break(const long *a)
{
	static const long nowhere[6];
	if (a[0])
		call_wrapper("brk", RESULT_INT, a);
	return call_wrapper("sbrk", RESULT_LONG, nowhere);
}

static long sleep_by_clock(const long *a)
{
	int error = (int)call_wrapper("clock_nanosleep", RESULT_INT, a);
	return error ? failed(error) : 0;
}

/* The mask comes with its size. */
static long select_with_mask(const long *a)
{
	long changed[6] = { a[0], a[1], a[2], a[3], a[4], 0 };
	if (a[5] && !rt_load(&changed[5], (const void *)a[5], sizeof(changed[5])))
		return failed(EFAULT);
	return call_wrapper("pselect", RESULT_INT, changed);
}

static long queue_signal(const long *a, pc_t pc)
{
	siginfo_t info;
	if (!rt_load(&info, (const void *)a[2], sizeof(info)))
		return failed(EFAULT);
	rt_libc_read((const void *)a[2], sizeof(info), pc);
	long changed[6] = { a[0], a[1], (long)info.si_value.sival_ptr };
	return call_wrapper("sigqueue", RESULT_INT, changed);
}

static long signal_thread(const long *a)
{
	long changed[6] = { REAL_FN(getpid)(), a[0], a[1] };
	return call_wrapper("tgkill", RESULT_INT, changed);
}

static long with(const char *function, enum result_type type, const long *a, int which, long value)
{
	long changed[6] = { a[0], a[1], a[2], a[3], a[4], a[5] };
	changed[which] = value;
	return call_wrapper(function, type, changed);
}

static long translated(long number, const long *a, pc_t pc)
{
	switch (number) {
	case SYS_rt_sigaction:
		return libc_kernel_sigaction((int)a[0], (const struct kernel_action *)a[1],
					     (struct kernel_action *)a[2], pc);
	case SYS_rt_sigqueueinfo:
		return queue_signal(a, pc);
	case SYS_tkill:
		return signal_thread(a);
	case SYS_getcwd:
		return get_directory(a);
	case SYS_brk:
		return set_break(a);
	case SYS_clock_nanosleep:
		return sleep_by_clock(a);
	case SYS_pselect6:
		return select_with_mask(a);
	case SYS_eventfd:
		return with("eventfd", RESULT_INT, a, 1, 0);
	case SYS_faccessat:
	case SYS_fchmodat:
		return with(number == SYS_faccessat ? "faccessat" : "fchmodat", RESULT_INT, a, 3,
			    0);
	case SYS_preadv2:
	case SYS_pwritev2:
		return with(number == SYS_preadv2 ? "preadv2" : "pwritev2", RESULT_LONG, a, 4,
			    a[5]);
	case SYS_waitid:
		return a[4] ? made_as_it_is(number, a, pc) : call_wrapper("waitid", RESULT_INT, a);
	case SYS_clone: /* without memory in common, and without a word that is set, a fork */
		if (a[0] != SIGCHLD || a[1])
			libc_refuse_call(number, pc);
		return call_wrapper("fork", RESULT_INT, a);
	case SYS_exit: /* of the last thread it is the end of the process */
		if (thread_count_live() > 1)
			libc_refuse_call(number, pc);
		return call_wrapper("_exit", RESULT_INT, a);
	}
	return made_as_it_is(number, a, pc);
}

static long controlled(long number, const long *a, pc_t pc)
{
	switch (number) {
	case SYS_futex:
		rt_wrapper(pc);
		return futex((uint32_t *)a[0], (int)a[1], (uint32_t)a[2],
			     (const struct timespec *)a[3], (uint32_t)a[5], pc);
	case SYS_membarrier:
		rt_wrapper(pc);
		ev_sync(EV_FENCE, 0, MODE_SEQ_CST, 0, 0, pc);
		return LIBC_CALL(REAL_FN(syscall)(number, a[0], a[1], a[2]));
	}
	if ((unsigned long)number < sizeof(by_number) / sizeof(*by_number) &&
	    by_number[number].function)
		return call_wrapper(by_number[number].function, by_number[number].result, a);
	return translated(number, a, pc);
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
	if (!is_ours || !g.active || g.internal)
		return REAL_FN(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	/* A handler of a signal may run meanwhile, and call this function. */
	pc_t *by_number_at = &g.cur->library.by_number, before = *by_number_at;
	*by_number_at = PC;
	long result = controlled(number, a, PC);
	*by_number_at = before;
	return result;
}
