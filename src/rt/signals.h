/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of signals: what signal.c offers to the wrappers (libc_signal.c), to the handler of
 * faults (failure.c) and to fork.  Sets of signals are words in which bit n-1 stands for signal
 * n, as in the kernel.
 */
#ifndef HEDDLE_RT_SIGNALS_H
#define HEDDLE_RT_SIGNALS_H

#include <signal.h>

#include "rt/rt.h"

struct queued_signal;
struct thread;

#define SIGNALS 64
#define REAL_TIME_SIGNALS 34 /* the first; glibc keeps the two before it for itself */
#define INTERRUPTIBLE_KEPT 8 /* objects of a thread whose waits a signal ends */
#define SMALLEST_STACK 2048  /* that sigaltstack accepts */

typedef uint64_t signal_set;

static inline signal_set signal_bit(int signal)
{
	return 1ull << (signal - 1);
}
static inline bool signal_exists(int signal)
{
	return signal > 0 && signal <= SIGNALS;
}
static inline signal_set signal_set_of(const sigset_t *set)
{
	return set->__val[0];
}
static inline void signal_set_to(sigset_t *to, signal_set set)
{
	to->__val[0] = set;
}
/* libc's type has room for more signals than there are; what it does not use may be anything. */
#define SET_BYTES sizeof(signal_set)

/* Of each thread. */
struct thread_signals {
	struct queued_signal *queue; /* sent to it and not delivered yet, oldest first */
	signal_set mask;	     /* blocked */
	signal_set awaited;	     /* by sigwait and its relatives */
	void *alternate;	     /* sigaltstack */
	size_t alternate_size;
	bool is_suspended; /* waits until a handler has run, which restores the mask: */
	signal_set mask_before;
	pc_t pc;       /* where it waits, in either way */
	bool restarts; /* no handler that ran since the wait began wants it to end early */
	uint64_t handlers_run;
	/* it waits for that object, or has not continued since it was woken, and EINTR may come of
	 * it; 0: none */
	uintptr_t interruptible;
	/* those for which it has waited so, the last ones */
	struct interruptible {
		uintptr_t object;
		uint8_t mode;
	} waited[INTERRUPTIBLE_KEPT];
	uint32_t waited_count; /* how many were noted */
	bool looks_later;      /* for signals: not before its stores are in memory */
};

/* Of each thread: faults (SIGSEGV ...) that the program handles. */
struct thread_fault {
	int signal; /* its handler runs because of this fault */
	uintptr_t addr;
	pc_t pc;
	uintptr_t at; /* where the last fault was whose handler came back, and when */
	uint64_t hooks;
};

void signal_init(void); /* at the beginning of control: what the program finds */
/* the kernel calls the program's handlers from now on, and blocks what the thread blocks */
void signal_end_control(void);
void signal_deliver(void); /* to the running thread: what it does not block */
/* the kernel blocks what the thread blocks, but for what the runtime must hear of */
void signal_mirror_mask(const struct thread *t);
void signal_show_mask(void); /* all of it, of the running thread: for another program */
/* a thread waits for a signal, which only the outside can send now: where; 0: none does */
pc_t signal_waiter_place(void);

/* SIGSEGV and the others that the processor raises: the kernel calls the runtime, whatever the
 * program installs. */
bool signal_is_fault(int signal);

bool signal_has_handler(int signal);
void signal_abort(pc_t pc); /* call the handler of SIGABRT, for the last time */
const struct sigaction *signal_action(int signal);
void signal_set_action(int signal, const struct sigaction *action);

void signal_report(const struct thread *t, unsigned what); /* PENDING_*: to an explorer */
/* A signal goes to a thread that has ended: the operations have the footprint that a live
 * receiver gives. */
void signal_report_ended(const struct thread *t, int signal, pc_t pc);
void signal_report_process(unsigned what);
void signal_report_receivers(void);
void signal_report_action(void); /* a disposition changes, and with it what is pending */
/* A signal is sent to the thread: `ends_wait`, unless it blocks or ignores it. */
void signal_report_interrupted(const struct thread *t, bool ends_wait);
/* The running thread begins to wait for that object; a signal may end that with EINTR. */
void signal_note_interruptible(uintptr_t object, unsigned mode);

/* of the running thread; what it unblocks is delivered before this returns */
void signal_set_mask(signal_set mask);
signal_set signal_pending(void); /* for the running thread, blocked or not */

/*
 * Send to a thread, or, if that is NULL, to the process: a thread that does not block it gets it.
 * What reaches the running thread is delivered before this returns.
 */
void signal_send(struct thread *to, const siginfo_t *info, pc_t pc);

/*
 * All signals come from this process, whose number differs from run to run.  So it is requested,
 * which is an input, only where the program sees the sender.
 */
void signal_fill_sender(siginfo_t *info);

/* Wait for one of the set, which is taken: true.  False: the deadline passed or a handler ran. */
bool signal_wait(signal_set set, uint64_t deadline, siginfo_t *info, pc_t pc);
/* Wait with another mask until a handler has run. */
void signal_suspend(signal_set mask, pc_t pc);

void signal_call_at(void (*function)(void), uintptr_t sp); /* signal.S */

/*
 * A fault in the running thread, reported by the kernel with its context, on a stack of our own.
 * True: the program has a handler, which runs on the thread's stack as soon as the caller returns
 * to the kernel.
 */
bool signal_fault(const siginfo_t *info, void *context, pc_t pc);
/* bytes of floating-point state behind a context */
size_t signal_state_size(const void *state);
void signal_call_handler(const siginfo_t *info, void *context); /* of the running thread, now */
/* the process ends: if in the handler of a fault, that was the reason */
void signal_fault_ends(void);

/* ---- libc_signal.c ---- */

/* As the kernel has it; libc's own type has its members in another order. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	signal_set mask;
};
/* sigaction() by the kernel's number: 0, or -1 and errno */
int libc_kernel_sigaction(int signal, const struct kernel_action *action, struct kernel_action *old,
			  pc_t pc);

/* ---- signal_look.c ---- */
/* before each step, and steps begin behind handlers */
bool signal_looks(const struct thread *t);
/* the step is not explored with all ways to be interrupted */
void signal_might_interrupt(void);
void signal_look_in_handler(void);
void signal_attend(void); /* the running thread begins or resumes a step */
/* the running thread continues to wait for the object, unless other handlers have run since */
void signal_waits_again(uintptr_t object, unsigned mode, uint64_t handlers);

/* For executions that begin again in place (explore_snapshot.c): afterwards the kernel is asked for
 * the program's dispositions again. */
void signal_rewind(void);

#endif
