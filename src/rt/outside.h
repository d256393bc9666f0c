/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The border between the program and the outside: its system calls.
 *
 * All that a program learns from outside comes by system calls, no matter which code makes them:
 * the program, the C library below stdio, a library without hooks.  The kernel is asked to hand
 * every call that is made outside the runtime's own code to the runtime (system call user
 * dispatch, a SIGSYS for each).  There it is recorded: an event with the result as the kernel
 * gave it, and one for each piece of memory that it filled.  In a replay the call is not made;
 * result and memory come from the record.  So everything above the border, libc included, runs
 * the same code on the same answers, and the wrappers of libc's functions need not know about any
 * of this.
 */
#ifndef HEDDLE_RT_OUTSIDE_H
#define HEDDLE_RT_OUTSIDE_H

#include <signal.h>
#include <sys/types.h>
#include <ucontext.h>

#include "rt/rt.h"
#include "rt/sched.h"
#include "wire/wire.h"

struct pollfd;
struct thread;

/* Of each thread: its system call, and whether that waits for descriptors. */
struct thread_io {
	uintptr_t call_sp; /* where the frame of the call is */
	/* In outside_sleep: for which descriptors (NULL: to try again), and whether one was seen
	 * to be ready. */
	bool is_waiting, is_ready;
	uint32_t count;
	struct pollfd *fds, *room;
};

enum call_class {
	CLASS_UNKNOWN,
	CLASS_PASS,
	CLASS_SIGNALS,
	CLASS_INPUT,
	CLASS_OUTPUT,
	CLASS_WAIT_IN,
	CLASS_WAIT_OUT,
	CLASS_POLLS,
	CLASS_TIMER,
	CLASS_MAPS,
	CLASS_FORKS,
	CLASS_KILLS,
	CLASS_ABSENT,
	CLASS_MODEL,
};

/* One system call on its way. */
struct call {
	long nr;
	long arg[6];
	long result; /* as the kernel gives it: negative is -errno */
	/* of an output whose length the program gives and the call changes */
	uint32_t room;
	int timer; /* that a timer descriptor was made for */
};

long call_perform(const struct call *c); /* by the kernel, at once */

/* ---- outside_shape.c: what calls are and fill ---- */
enum call_class call_class(long nr);
/* before it is made: how much room its outputs have */
void call_prepare(struct call *c);
/* Once the result is known: `use` for each piece of memory that the call fills, in order. */
void call_outputs(struct call *c, void (*use)(struct call *c, void *p, size_t n));
/* The bytes that a copy between descriptors moves to standard output pass through here. */
extern char outside_copied[WIRE_MAX_DATA];

/* ---- outside_fd.c: what the program's descriptors are ---- */
void descriptors_init(void);
void descriptors_follow(const struct call *c); /* a call was made, or fed from the record */
/* 1 or 2 if it leads to standard output or error, else 0 */
int descriptor_outlet(int fd);
/* where what is written to it goes, or where what is read comes from, if that is inside; 0: not
 * known */
uint32_t outside_channel(int fd, bool is_to_put);
bool descriptor_is_outside(int fd); /* can another process make it ready? */
bool descriptor_is_prompt(int fd);  /* what this process puts in is there at once */
bool descriptor_is_epoll(int fd);
int descriptor_timer(int fd); /* its timer, -1 if it has none */
/* a descriptor of that timer, -1 if there is none left */
int descriptor_of_timer(int timer);
pid_t descriptors_seen_pid(void);     /* what getpid() answered last; 0: nothing */
bool descriptors_have_children(void); /* another process was started */

bool descriptor_is_random(int fd); /* a device that gives random bytes */

/* ---- outside_random.c: random bytes, which follow from the seed ---- */
void outside_random_bytes(void *to, size_t n);
void outside_replace_random(struct call *c); /* in what the call has filled, if it gives such */

/* ---- outside_output.c ---- */
/* What the recorded call put out goes out again, if it leads to where the user looks. */
void outside_show(const struct call *c);

/* ---- outside_wait.c: calls that may have to wait, in the recorded run ---- */
long wait_and_perform(struct call *c);
/* Wait for a descriptor in the model, while others run.  The caller has reported it by an event. */
enum wait_end outside_sleep(struct pollfd *fds, uint32_t count, uint64_t deadline);

bool outside_replays(void); /* answers come from the record */
/* threads in outside_sleep */
extern uint32_t outside_sleepers __attribute__((visibility("hidden")));
/* in a recorded run */
static inline bool outside_anyone_waits(void)
{
	return unlikely(outside_sleepers) && !outside_replays();
}
void outside_look(void); /* which of them can continue? */
/* No thread can run: sleep until a descriptor is ready or `now` would be `deadline`; whether one
 * is. */
bool outside_idle(uint64_t deadline, uint64_t now);

#define POLLFDS 8192
/* Wait for descriptors on behalf of a call.  0: look again; 1: the deadline has passed; -EINTR. */
long outside_wait_for(const struct call *c, struct pollfd *fds, uint32_t count, uint64_t deadline);

/* ---- outside_poll.c: calls that wait for several descriptors ---- */
long outside_perform_polls(struct call *c);

/* ---- outside_timer.c: timer descriptors in virtual time ---- */
long timer_call(struct call *c);
/* NO_DEADLINE: none of them is set */
uint64_t timers_due(const struct pollfd *fds, uint32_t count);
void timers_fire(void); /* those that are due on the running thread's clock */

/* ---- outside_map.c: files as memory ---- */
void outside_map(struct call *c); /* mmap with a descriptor */
void outside_put(struct call *c); /* a call was made, or fed; it may have changed a mapped file */

/* ---- outside_frame.c: the frame of a caught call ---- */
/* handler of SIGSYS: outside_on_call() on the hook stack */
void outside_entry(void);
void outside_return(void);			     /* where that returns to */
void outside_leave_frame(const ucontext_t *context); /* the handler is done */

/* ---- outside.c ---- */
void outside_init(void);		      /* from here on calls are caught */
void outside_end(void);			      /* control has ended */
bool outside_attach_thread(void);	      /* for each OS thread that runs code of the program */
bool outside_is_next(const struct thread *t); /* the next answer is for this thread */
size_t outside_mapped(void);		      /* bytes of a file that the last mapping shows */
extern volatile char outside_selector, outside_closed; /* 0: calls are let through */
void outside_on_call(int signal, siginfo_t *info, void *context);
void outside_answered(const struct call *c, int64_t value); /* event: the outside answered */
void outside_keep(struct call *c, void *p, size_t n);	    /* event: and gave these bytes */
/* From the record: the next answer, which must be of this call; then its bytes. */
int64_t outside_recall(const struct call *c);
void outside_feed(struct call *c, void *p, size_t n);

#endif
