/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of libc that deal with signals: checks of arguments and reports of the memory
 * they touch. What they do is in signal.c.
 */
#include "rt/buffer.h"
#include "rt/clock.h"
#include "rt/fiber.h"
#include "rt/libc_refused.h"
#include "rt/libc_thread.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/sched.h"
#include "rt/signals.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

static int failed(int error)
{
	errno = error;
	return -1;
}

/* ---- dispositions ---- */

static bool can_be_handled(int signal)
{
	bool is_libcs = signal > 31 && signal < REAL_TIME_SIGNALS; /* for its own purposes */
	return signal_exists(signal) && signal != SIGKILL && signal != SIGSTOP && !is_libcs;
}

/* What there is of it; see SET_BYTES. */
static void copy_action(struct sigaction *to, const struct sigaction *from)
{
	to->sa_handler = from->sa_handler;
	to->sa_flags = from->sa_flags;
	signal_set_to(&to->sa_mask, signal_set_of(&from->sa_mask));
}

static void read_action(const struct sigaction *action, pc_t pc)
{
	rt_libc_read(&action->sa_handler, sizeof(action->sa_handler), pc);
	rt_libc_read(&action->sa_mask, SET_BYTES, pc);
	rt_libc_read(&action->sa_flags, sizeof(action->sa_flags), pc);
}

static void wrote_action(const struct sigaction *action, pc_t pc)
{
	rt_libc_wrote(&action->sa_handler, sizeof(action->sa_handler), pc);
	rt_libc_wrote(&action->sa_mask, SET_BYTES, pc);
	rt_libc_wrote(&action->sa_flags, sizeof(action->sa_flags), pc);
}

RT_EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	if (!libc_enter(PC))
		return REAL_FN(sigaction)(signal, action, old);
	libc_hidden(HIDDEN_SIGNALS, action != NULL, PC);
	if (!can_be_handled(signal) && (action || !signal_exists(signal)))
		return failed(EINVAL);
	struct sigaction wanted = { 0 }; /* both may be the same object */
	if (action) {
		read_action(action, PC);
		copy_action(&wanted, action);
	}
	if (old) {
		libc_will_write(old, sizeof(*old), PC);
		copy_action(old, signal_action(signal));
		wrote_action(old, PC);
	}
	if (action)
		signal_set_action(signal, &wanted);
	return 0;
}

int libc_kernel_sigaction(int signal, const struct kernel_action *action, struct kernel_action *old,
			  pc_t pc)
{
	rt_wrapper(pc);
	libc_hidden(HIDDEN_SIGNALS, action != NULL, pc);
	if (!can_be_handled(signal) && (action || !signal_exists(signal)))
		return failed(EINVAL);
	struct kernel_action given;
	if ((action && !rt_load(&given, action, sizeof(given))) ||
	    (old && !rt_can_read(old, sizeof(*old))))
		return failed(EFAULT);
	if (action)
		rt_libc_read(action, sizeof(*action), pc);
	if (old) {
		const struct sigaction *now = signal_action(signal);
		libc_will_write(old, sizeof(*old), pc);
		*old = (struct kernel_action){ .handler = now->sa_handler,
					       .flags = (unsigned long)now->sa_flags,
					       .mask = signal_set_of(&now->sa_mask) };
		rt_libc_wrote(old, sizeof(*old), pc);
	}
	if (action) {
		struct sigaction wanted = { .sa_handler = given.handler,
					    .sa_flags = (int)given.flags };
		signal_set_to(&wanted.sa_mask, given.mask);
		signal_set_action(signal, &wanted);
	}
	return 0;
}

static sighandler_t handle_by(int signal, sighandler_t handler, int flags, pc_t pc)
{
	libc_hidden(HIDDEN_SIGNALS, true, pc);
	if (handler == SIG_ERR || !can_be_handled(signal)) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sighandler_t before = signal_action(signal)->sa_handler;
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	signal_set_action(signal, &action);
	return before;
}

RT_EXPORT sighandler_t signal(int signal, sighandler_t handler)
{
	if (!libc_enter(PC))
		return REAL_FN(signal)(signal, handler);
	return handle_by(signal, handler, SA_RESTART, PC);
}

extern __typeof__(signal) bsd_signal LIBC_ALIAS(signal);

RT_EXPORT sighandler_t __sysv_signal(int signal, sighandler_t handler)
{
	if (!libc_enter(PC))
		return REAL_FN(__sysv_signal)(signal, handler);
	return handle_by(signal, handler, SA_RESETHAND | SA_NODEFER, PC);
}

RT_EXPORT int siginterrupt(int signal, int interrupts)
{
	if (!libc_enter(PC))
		return REAL_FN(siginterrupt)(signal, interrupts);
	libc_hidden(HIDDEN_SIGNALS, true, PC);
	if (!can_be_handled(signal))
		return failed(EINVAL);
	struct sigaction action = { 0 };
	copy_action(&action, signal_action(signal));
	action.sa_flags = interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
	signal_set_action(signal, &action);
	return 0;
}

/* Remembered for each thread and not used: handlers run on the thread's stack. */
RT_EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	if (!libc_enter(PC))
		return REAL_FN(sigaltstack)(stack, old);
	struct thread *self = g.cur;
	stack_t before = { .ss_sp = self->signals.alternate,
			   .ss_size = self->signals.alternate_size,
			   .ss_flags = self->signals.alternate ? 0 : SS_DISABLE };
	if (stack) {
		if (!rt_can_read(stack, sizeof(*stack)))
			return failed(EFAULT);
		rt_libc_read(stack, sizeof(*stack), PC);
		if (!(stack->ss_flags & SS_DISABLE) && stack->ss_size < SMALLEST_STACK)
			return failed(ENOMEM);
		self->signals.alternate = stack->ss_flags & SS_DISABLE ? NULL : stack->ss_sp;
		self->signals.alternate_size = self->signals.alternate ? stack->ss_size : 0;
	}
	if (old) {
		*old = before;
		rt_libc_wrote(old, sizeof(*old), PC);
	}
	return 0;
}

/* ---- sets ---- */

#define NEW_SET(name) \
	WRAP(int, name, (sigset_t * set), (set), ROOM(set, SET_BYTES), WROTE(set, SET_BYTES))
NEW_SET(sigemptyset)
NEW_SET(sigfillset)

#define CHANGED_SET(name)                                                                   \
	WRAP(int, name, (sigset_t * set, int signal), (set, signal), READS(set, SET_BYTES), \
	     WROTE(set, result ? 0 : SET_BYTES))
CHANGED_SET(sigaddset)
CHANGED_SET(sigdelset)

WRAP(int, sigismember, (const sigset_t *set, int signal), (set, signal), READS(set, SET_BYTES),
     NOTHING)
WRAP(int, sigisemptyset, (const sigset_t *set), (set), READS(set, SET_BYTES), NOTHING)

#define COMBINED_SET(name)                                                                 \
	WRAP(int, name, (sigset_t * to, const sigset_t *a, const sigset_t *b), (to, a, b), \
	     (READS(a, SET_BYTES), READS(b, SET_BYTES)), WROTE(to, SET_BYTES))
COMBINED_SET(sigandset)
COMBINED_SET(sigorset)

/* ---- masks ---- */

static int change_mask(int how, const sigset_t *set, sigset_t *old, pc_t pc)
{
	signal_set before = g.cur->signals.mask, mask = before;
	if (set) {
		rt_libc_read(set, SET_BYTES, pc);
		signal_set given = signal_set_of(set);
		switch (how) {
		case SIG_BLOCK:
			mask |= given;
			break;
		case SIG_UNBLOCK:
			mask &= ~given;
			break;
		case SIG_SETMASK:
			mask = given;
			break;
		default:
			return EINVAL;
		}
	}
	if (old) {
		libc_will_write(old, SET_BYTES, pc);
		signal_set_to(old, before);
		rt_libc_wrote(old, SET_BYTES, pc);
	}
	signal_set_mask(mask);
	return 0;
}

RT_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	if (!libc_enter(PC))
		return REAL_FN(pthread_sigmask)(how, set, old);
	return change_mask(how, set, old, PC);
}

RT_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	if (!libc_enter(PC))
		return REAL_FN(sigprocmask)(how, set, old);
	int error = change_mask(how, set, old, PC);
	return error ? failed(error) : 0;
}

RT_EXPORT int sigpending(sigset_t *to)
{
	if (!libc_enter(PC))
		return REAL_FN(sigpending)(to);
	if (!rt_can_read(to, SET_BYTES))
		return failed(EFAULT);
	signal_report(g.cur, PENDING_NONE);
	signal_report_process(PENDING_NONE);
	signal_set_to(to, signal_pending() & g.cur->signals.mask);
	rt_libc_wrote(to, SET_BYTES, PC);
	return 0;
}

/* ---- sending ---- */

/* An error number. */
static int send_to(struct thread *t, int signal, int code, union sigval value, pc_t pc)
{
	if (signal < 0 || signal > SIGNALS)
		return EINVAL;
	if (signal)
		buffer_empty(); /* the kernel synchronises */
	if (signal && t && t->state == THREAD_ENDED)
		signal_report_ended(t, signal, pc);
	if (!signal || (t && t->state == THREAD_ENDED))
		return 0;
	bool stops =
		signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
	if (stops && signal_action(signal)->sa_handler == SIG_DFL)
		libc_refuse("a signal that stops the process", pc);
	siginfo_t info = { .si_signo = signal, .si_code = code };
	if (code == SI_QUEUE)
		info.si_value = value;
	signal_send(t, &info, pc);
	return 0;
}

#define NO_VALUE ((union sigval){ 0 })

RT_EXPORT int pthread_kill(pthread_t handle, int signal)
{
	if (!libc_enter(PC))
		return REAL_FN(pthread_kill)(handle, signal);
	struct thread *t = fiber_by_handle(handle);
	return t ? send_to(t, signal, SI_TKILL, NO_VALUE, PC) : ESRCH;
}

RT_EXPORT int pthread_sigqueue(pthread_t handle, int signal, const union sigval value)
{
	if (!libc_enter(PC))
		return REAL_FN(pthread_sigqueue)(handle, signal, value);
	struct thread *t = fiber_by_handle(handle);
	return t ? send_to(t, signal, SI_QUEUE, value, PC) : ESRCH;
}

RT_EXPORT int raise(int signal)
{
	if (!libc_enter(PC))
		return REAL_FN(raise)(signal);
	int error = send_to(g.cur, signal, SI_TKILL, NO_VALUE, PC);
	return error ? failed(error) : 0;
}

/* The whole group, to which other processes may belong, or all processes. */
static bool includes_us(pid_t pid)
{
	return pid == 0 || pid == -1 || pid == -real_getpgrp();
}

RT_EXPORT int kill(pid_t pid, int signal)
{
	if (!libc_enter(PC))
		return REAL_FN(kill)(pid, signal);
	if (pid == real_getpid()) {
		int error = send_to(NULL, signal, SI_USER, NO_VALUE, PC);
		return error ? failed(error) : 0;
	}
	if (signal && includes_us(pid))
		libc_refuse("kill of a group that includes the program", PC);
	return REAL_FN(kill)(pid, signal);
}

RT_EXPORT int sigqueue(pid_t pid, int signal, const union sigval value)
{
	if (!libc_enter(PC))
		return REAL_FN(sigqueue)(pid, signal, value);
	if (pid == real_getpid()) {
		int error = send_to(NULL, signal, SI_QUEUE, value, PC);
		return error ? failed(error) : 0;
	}
	return REAL_FN(sigqueue)(pid, signal, value);
}

RT_EXPORT int tgkill(pid_t pid, pid_t tid, int signal)
{
	if (!libc_enter(PC))
		return REAL_FN(tgkill)(pid, tid, signal);
	if (pid != real_getpid())
		libc_refuse("tgkill of a thread outside the program", PC);
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		if (pid + (pid_t)rt_threads_live[i]->id != tid) /* as gettid numbers them */
			continue;
		int error = send_to(rt_threads_live[i], signal, SI_TKILL, NO_VALUE, PC);
		return error ? failed(error) : 0;
	}
	return failed(ESRCH);
}

/* ---- waiting ---- */

RT_EXPORT int sigwait(const sigset_t *restrict set, int *restrict signal)
{
	if (!libc_enter(PC))
		return REAL_FN(sigwait)(set, signal);
	rt_libc_read(set, SET_BYTES, PC);
	siginfo_t info;
	while (!signal_wait(signal_set_of(set), NO_DEADLINE, &info, PC))
		; /* a handler does not end this one */
	*signal = info.si_signo;
	rt_libc_wrote(signal, sizeof(*signal), PC);
	return 0;
}

static int wait_for_info(const sigset_t *set, siginfo_t *to, uint64_t deadline, pc_t pc)
{
	rt_libc_read(set, SET_BYTES, pc);
	siginfo_t info;
	uint64_t handlers = g.cur->signals.handlers_run;
	if (!signal_wait(signal_set_of(set), deadline, &info, pc))
		return failed(g.cur->signals.handlers_run != handlers ? EINTR : EAGAIN);
	if (to) {
		signal_fill_sender(&info);
		rt_memcpy(to, &info, sizeof(*to));
		rt_libc_wrote(to, sizeof(*to), pc);
	}
	return info.si_signo;
}

RT_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	if (!libc_enter(PC))
		return REAL_FN(sigwaitinfo)(set, info);
	return wait_for_info(set, info, NO_DEADLINE, PC);
}

RT_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			   const struct timespec *restrict limit)
{
	if (!libc_enter(PC))
		return REAL_FN(sigtimedwait)(set, info, limit);
	if (!limit)
		return wait_for_info(set, info, NO_DEADLINE, PC);
	rt_libc_read(limit, sizeof(*limit), PC);
	uint64_t deadline;
	if (!clock_deadline_after(limit, &deadline))
		return failed(EINVAL);
	return wait_for_info(set, info, deadline, PC);
}

RT_EXPORT int sigsuspend(const sigset_t *mask)
{
	if (!libc_enter(PC))
		return REAL_FN(sigsuspend)(mask);
	rt_libc_read(mask, SET_BYTES, PC);
	signal_suspend(signal_set_of(mask), PC);
	return failed(EINTR);
}

RT_EXPORT int pause(void)
{
	if (!libc_enter(PC))
		return REAL_FN(pause)();
	signal_suspend(g.cur->signals.mask, PC);
	return failed(EINTR);
}

/* ---- jumps ---- */

/* Where a jump leads to; glibc keeps it in a form that is hard to forge. */
static uintptr_t stack_pointer_of(const struct __jmp_buf_tag *to)
{
	enum { STACK_POINTER = 6, SECRET = 0x30 };
	uint64_t kept = (uint64_t)to->__jmpbuf[STACK_POINTER], secret;
	__asm__("movq %%fs:%c1, %0" : "=r"(secret) : "i"(SECRET));
	return (kept >> 17 | kept << 47) ^ secret;
}

/* Out of handlers and calls into libc, with the mask that the buffer has. */
static void leave_to(struct __jmp_buf_tag *to, pc_t pc)
{
	if (!g.active || g.internal)
		return;
	rt_enter(pc);
	libc_calls_left(stack_pointer_of(to));
	g.cur->fault.signal = 0;
	if (g.cur->wait.queue) /* out of a handler that interrupted a wait */
		sched_leave_queue(g.cur->wait.queue, g.cur);
	if (to->__mask_was_saved) {
		g.cur->signals.mask = signal_set_of((const sigset_t *)&to->__saved_mask);
		/* what libc does about it is undone when its system call returns */
		signal_mirror_mask(g.cur);
	}
	if (signal_pending() & ~g.cur->signals.mask) {
		g.cur->needs_attention = true;
		sched_ask();
	}
}

#define JUMP(name)                                                 \
	RT_EXPORT void name(struct __jmp_buf_tag to[1], int value) \
	{                                                          \
		leave_to(to, PC);                                  \
		REAL_FN(name)(to, value);                          \
		__builtin_unreachable();                           \
	}
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
