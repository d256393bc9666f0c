/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions for an explorer (wire/explore.h): the program follows a plan and lists its operations.
 *
 * The scheduler asks here instead of a policy at every hook and whenever a thread cannot go on.
 * Unless the execution is recorded (wire_explore.is_recorded), events do not go into the ring but
 * become operations of the list, which g.op_next fills: only what another thread could observe,
 * without chunks, call stacks and canonical addresses.
 */
#ifndef HEDDLE_RT_EXPLORE_H
#define HEDDLE_RT_EXPLORE_H

#include "rt/hot.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

struct sync;

void explore_init(void); /* a session of this policy begins */
/* an execution begins, in the main thread, with the plan that is there now */
void explore_begin(void);

/* The running thread is at a hook: which thread runs next? `yields`: preferably another one. */
struct thread *explore_point(bool yields);
/* The running thread is blocked, perhaps until its deadline: which thread runs next? NULL: none
 * can. */
struct thread *explore_blocked(void);
/* It begins to wait; it has waited until its deadline. */
bool explore_counts_waits(void); /* the end of a timed wait is a hook of its thread */
void explore_list_wait(const struct sync *on, const struct thread *other, bool is_timed);
void explore_list_io_wait(bool is_timed);
/* OPF_CANCELLABLE, if a request that the thread ends ends the wait */
unsigned explore_cancellable(void);
void explore_list_timeout(uintptr_t object, unsigned mode, const struct thread *other);
uint32_t explore_choice(uint32_t n);

/* Whether the thread could be picked in the free run. */
bool explore_is_ready(const struct thread *t);

/* ---- random free runs (explore_random.c) ---- */
void explore_random_begin(const struct wire_explore *explore);
struct thread *explore_random_pick(bool yields); /* NULL: no thread can continue */
uint32_t explore_random_choice(uint32_t n);
/* the running thread did this; if g.uses_next_steps */
void explore_random_saw(const struct wire_op *op);
bool explore_random_keeps_store(void); /* whether the next store stays in its buffer */

/* ---- the list ---- */
void explore_list_step(void);
void explore_list_is_full(void) __attribute__((noreturn, cold));
void explore_wake_sleepers(const struct wire_op *op);

static inline struct wire_op *explore_next_op(void)
{
	if (unlikely(!g.step_is_listed))
		explore_list_step();
	if (unlikely(g.op_next >= g.op_limit))
		explore_list_is_full();
	return g.op_next++;
}

/* An entry of the list that is no operation. */
static inline struct wire_op *explore_list_entry(unsigned kind, uint64_t object, uint64_t value,
						 uint64_t size, unsigned mode, unsigned flags,
						 pc_t pc)
{
	struct wire_op *op = explore_next_op();
	op->object = object;
	op->value = value;
	op->pc = pc;
	op->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	op->kind = (uint8_t)kind;
	op->mode = (uint8_t)mode;
	op->flags = (uint16_t)flags;
	return op;
}

/* The number of an entry of the list. */
uint64_t explore_list_number(const struct wire_op *op);

static inline void explore_op(unsigned kind, uint64_t object, uint64_t value, uint64_t size,
			      unsigned mode, unsigned flags, pc_t pc)
{
	struct wire_op *op = explore_list_entry(kind, object, value, size, mode, flags, pc);
	if (unlikely(g.has_sleepers))
		explore_wake_sleepers(op);
}

/*
 * What only an explorer wants to know: a thread has used a hidden object; it has looked at an
 * object that it would have changed in another state; a join has failed, which the end of the
 * other thread changes.  Called in every run, since a call leaves its return address on the
 * program's stack.
 */
void explore_hidden(uintptr_t object, unsigned mode, uint64_t value, pc_t pc);
void explore_look(uintptr_t object, unsigned mode, pc_t pc);
void explore_failed_join(const struct thread *t, pc_t pc);

/* Events as operations. */
void explore_sync(unsigned kind, uint64_t object, unsigned mode, uint64_t a, uint64_t b, pc_t pc);
void explore_flush(uint32_t thread, uintptr_t addr, uint64_t value, size_t size, pc_t pc);
void explore_output(int descriptor, const void *bytes, size_t n, pc_t pc);
void explore_failure(uint64_t object, uint64_t failure, uint64_t detail, const char *text,
		     size_t len, pc_t pc);
void explore_plain_access_fails(void); /* the failure that comes next is that of one */

/* ---- the end of an execution ---- */
void explore_exit(int status) __attribute__((noreturn));
/* with the failure that was listed last */
void explore_end_failed(void) __attribute__((noreturn));
/*
 * The running thread is to start another one.  If there are as many as there may be, it stops here
 * for good, and the others go on: what they do is what they could do in front of that step. When no
 * thread can continue any more, the execution ends with EXPLORE_THREAD_LIMIT, since it is no
 * deadlock of the program.
 */
void explore_before_thread(void);
bool explore_holds_thread(void);
void explore_end(enum explore_end end) __attribute__((noreturn));
void explore_unsupported(const char *why) __attribute__((noreturn));

/* The next acquire, sem-wait or join of the running thread is by a call that might have failed
 * instead. */
static inline void explore_succeeds(unsigned flag)
{
	g.cur->step.acquires_by = (uint16_t)flag;
}
static inline void explore_succeeds_before(uint64_t deadline)
{
	g.cur->step.acquires_by = deadline == NO_DEADLINE ? 0 : OPF_TIMED;
}
static inline void explore_would_request(void)
{
	g.cur->step.acquires_by |= OPF_REQUEST_SEEN;
}

/* The next acquire or release for reading of the running thread is made while a writer waits that
 * is let first. */
static inline void explore_was_requested(void)
{
	g.cur->step.acquires_by |= OPF_WRITER_WAITS;
}

/* How often another thread than the running one has gone on, or a store has left a buffer. */
extern uint64_t explore_switches __attribute__((visibility("hidden")));
/* The running thread follows a plan that keeps rounds (wire_explore.keeps_rounds). */
bool explore_keeps_rounds(void);
/* What the running thread listed from that entry on is taken back: threads that it woke and that
 * have not run since sleep again. */
void explore_sleep_again(const struct wire_op *from);

/* ---- explore_call.c ---- */
struct call;
bool explore_call(struct call *c); /* false: the call is made, and then: */
void explore_made(const struct call *c);
/* The step uses a stream with that descriptor: whether it makes a call depends on what the stream
 * holds. */
void explore_might_put_out(int descriptor, pc_t pc);

/* ---- explore_restart.c ---- */
static inline struct wire_explore *explore_shared(void)
{
	return (struct wire_explore *)((char *)g.session + g.session->explore_offset);
}
void explore_saw_outside_write(void);
void explore_not_in_place(long call); /* the program made a system call that cannot be undone */
/* before system calls are caught: returns in a process that is to run an execution */
void explore_fork(void);
/* before the program's main: returns when there is an execution to be run */
void explore_serve(void);
/* the result is complete: begin the next execution */
void explore_leave(void) __attribute__((noreturn));

#endif
