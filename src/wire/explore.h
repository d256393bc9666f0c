/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exploration: the protocol between the explorer in the tool and the runtime in the program.
 *
 * A session whose policy is POLICY_EXPLORE runs one execution after the other.  For each the
 * explorer writes a plan and hands over (wire_explore.go); it gets the list of operations that
 * were executed.  The ring is not used.  An execution that is reported (a finding, a new outcome)
 * is repeated by the same plan and recorded in full.
 *
 * A *hook* is a place where the runtime may switch threads; each thread counts its own hooks, as
 * in every schedule.  A *step* is what a thread does from the entry to one of its hooks up to the
 * entry to its next one.  Thread and own hook number name a step, and this name does not depend on
 * what other threads do in between.  Two kinds of hooks are counted but begin no step; their
 * numbers are further names of the step that they are in:
 *   - hooks inside a call into libc;
 *   - the end of a timed wait, if plans have the numbers of a recording (counts_waits).  A search
 *     does not count it: whether a thread had to wait must not change the names of later steps.
 * Operations that no other thread can observe (a request for a lock, for example) may be missing
 * from the list, and a step without operations is not in it.
 *
 * A *plan* is a sequence of turns followed by a *free run*.  In each turn a thread runs until it
 * has finished the step of the given number, or until it is blocked in that step.
 *   - If the thread is blocked before that step, has ended or does not exist, the execution
 *     diverges.  Either the explorer has an error, or the program depends on something that
 *     heddle does not control.
 *   - A turn of a thread that waits with a deadline ends the wait by its time-out.  So does a turn
 *     for a later step, if the thread comes to a timed wait on the way.
 *   - A request for a lock that is held, and nothing beyond the request, takes two turns of the
 *     same number.
 *   - A turn for a step that is over does nothing.
 * Choices are taken in order from the plan; after its last one every choice is 0.  In the free run
 * the running thread continues while it can, then the ready thread of the lowest number, and so
 * on.  A thread that yields or has passed many hooks gives way to the next.  A timed wait ends when
 * no thread is ready.  A thread whose next step ends the process is picked last.
 *
 * Threads are numbered in the order of their creation.  Creations depend on each other, so
 * numbers, stacks and heap parts are the same in equivalent executions.
 *
 * *Sleeping* threads (Godefroid's sleep sets) are not picked in the free run: their next step,
 * whose operations are given, was explored from an equivalent state.  An operation that depends on
 * one of those wakes the thread.  If only sleeping threads can run, the execution is redundant and
 * ends.
 *
 * Under TSO and PSO the buffer of a thread is a second process beside it.  A buffered write
 * (EVF_BUFFERED) is visible to no other thread.  Its flush is a step that comes at any time after
 * it; under TSO flushes come in the order of the writes, under PSO as rt/buffer.c says.  A thread
 * whose step needs an empty buffer is blocked until the buffer is empty.  In the free run a store
 * reaches memory as soon as its thread has come to its next hook, unless the buffer sleeps.
 *
 * The program may have damaged everything that it writes here: the explorer checks bounds.
 */
#ifndef HEDDLE_WIRE_EXPLORE_H
#define HEDDLE_WIRE_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

/*
 * One operation, or the beginning of a step.  For an access `object` is the address of its first
 * byte; for an operation on a synchronisation object its address; for fork, join, begin and end
 * the number of the thread that it is about; otherwise what the event of that kind has there.  A
 * join with EVF_FAILED is a call that found the thread alive.
 */
struct wire_op {
	uint64_t object;
	/* read: what it saw; write: what it left (a hash if longer than 8 bytes); otherwise
	 * operand a */
	uint64_t value;
	uint64_t pc;
	/* bytes of an access, or of the data that follows; choice: out of how many */
	uint32_t size;
	uint8_t kind;	/* enum event_kind, or OP_* */
	uint8_t mode;	/* memory order, kind of lock, hidden object; failure: FAILED_* */
	uint16_t flags; /* enum event_flag, OPF_* */
};

/* Kinds of entries beside those of events. */
enum explore_entry {
	/* object: thread; value: number of the hook; what follows belongs to that step.  With
	 * OPF_FLUSH a step of its buffer, which is one EV_FLUSH; value: PSO: the location.  With
	 * OPF_DRAINED its stores to `size` bytes from `pc` on had to be flushed; size 0: all */
	OP_STEP = 250,
	/* object: descriptor; size: bytes, which follow in as many ops as they fill */
	OP_OUTPUT,
	/* the thread is blocked: kind of wait in mode (sync_mode, or 0), object as in its event;
	 * flag OPF_TIMED: it may continue at any time.  No other thread can observe this entry */
	OP_BLOCKED,
	/* the thread spins.  `size` entries of kind read and try-fail follow: what it read and
	 * tried.  It continues only if one of the reads would see another value, or one of the
	 * tries would end otherwise: a failed one would succeed, one with OPF_SUCCEEDED would
	 * fail.  In the list also if the thread does not have to wait */
	OP_AWAIT,
	/* object: a thread that waits in the cycle which the failure that follows closes */
	OP_IN_CYCLE,
	/* first in a step with OPF_POLLS; value: a hash of the thread's state there.  In the same
	 * state a round that sees the same fails again, or succeeds again */
	OP_POLL,
};
enum {
	/* acquire, release for reading: a writer waits and has precedence.  The beginning of its
	 * wait, and its end by giving up or by getting the lock, depend on both operations, so
	 * equivalent executions agree on this flag */
	OPF_WRITER_WAITS = 0x200,
	/* OP_BLOCKED: see there; acquire, sem-wait, join: by a call with a deadline */
	OPF_TIMED = 0x100,
	/* acquire, sem-wait, join: by a call that fails instead of waiting */
	OPF_TRY = 0x400,
	OPF_FLUSH = 0x800,
	/* try-fail, of an await: the try succeeded, and the thread continues when it would fail */
	OPF_SUCCEEDED = 0x800,
	/* OP_STEP: the thread could not make it before its own stores to those bytes had left its
	 * buffer; OP_BLOCKED: it waits for that */
	OPF_DRAINED = 0x1000,
	/* acquire: other threads can observe a request that has to wait, so the request is a step
	 * of its own, with an EV_HIDDEN */
	OPF_REQUEST_SEEN = 0x4000,
	/* OP_STEP: a handler could have interrupted it in ways that are not explored
	 * (rt/signal_look.c) */
	OPF_INTERRUPTIBLE = 0x4000,
	/* OP_BLOCKED: until the thread that is the object has ended */
	OPF_JOIN = 0x200,
	/* OP_BLOCKED: a cancellation request (rt/cancel.c) ends the wait */
	OPF_CANCELLABLE = 0x400,
	/* cancel: the thread is detached, so that it matters whether it has ended */
	OPF_DETACHED = 0x100,
	/* OP_STEP: the thread may be cancelled at any time from now on, which is not explored */
	OPF_ASYNCHRONOUS = 0x2000,
	/* OP_STEP: a choice in it does not cover all values that the program asked for */
	OPF_BOUNDED = 0x8000,
	/* hidden, OP_OUTPUT without bytes: the step did not do this, but might do it in another
	 * state.  For example, a print that fits into the buffer of its stream writes no output.
	 * The entry depends on nothing, but strategies that predict a step in another state
	 * must consider it */
	OPF_MIGHT = 0x8000,
	/* OP_STEP: the thread stands where a round of a known loop begins, and has not looked yet */
	OPF_POLLS = 0x400,
	/* OP_AWAIT: the round failed and is taken back (rt/await_loop.c).  `value` is the number of
	 * its first entry in the list: what the thread listed from there on was never done */
	OPF_TAKEN_BACK = 0x2000,
	OPF_FORWARDED = 0x2000, /* read: all of it came from the thread's own buffer */
	/* write: the frame that was there has been left (rt/left_frame.h) */
	OPF_LEFT = 0x4000,
};

/*
 * What fails.  FAILED_PLAIN_ACCESS: a plain access by the program or by a function like memcpy or
 * strlen.  Such an access is all that its step does, so the step would have been this access and
 * nothing else if it had not failed.
 */
enum { FAILED_SOMEHOW, FAILED_PLAIN_ACCESS };

/*
 * How many entries of the list follow the operation as its data: the bytes of an output, and what
 * an await read and tried.  They are no operations of the execution.
 */
static inline uint64_t op_data(const struct wire_op *op)
{
	if (op->kind == OP_OUTPUT)
		return (op->size + sizeof(*op) - 1) / sizeof(*op);
	return op->kind == OP_AWAIT ? op->size : 0;
}

/* The operation after `op`; `end` if there is none, or if data of `op` goes beyond `end`. */
static inline const struct wire_op *op_next(const struct wire_op *op, const struct wire_op *end)
{
	uint64_t more = op_data(op);
	return more < (uint64_t)(end - op) ? op + 1 + more : end;
}

/*
 * The operations of an execution in order, OP_STEP and all other OP_* included, without their
 * data.  `op` is declared here.
 */
#define OPS_EACH(op, ops, count)                                                        \
	for (const struct wire_op *op = (ops), *op##_end = op + (count); op < op##_end; \
	     op = op_next(op, op##_end))

/* As OPS_EACH, with the reads and tries of an await as operations of the thread that awaits. */
static inline const struct wire_op *op_next_or_awaited(const struct wire_op *op,
						       const struct wire_op *end)
{
	return op->kind == OP_AWAIT ? op + 1 : op_next(op, end);
}
#define OPS_EACH_AND_AWAITED(op, ops, count)                                            \
	for (const struct wire_op *op = (ops), *op##_end = op + (count); op < op##_end; \
	     op = op_next_or_awaited(op, op##_end))

/* The end of a frame is a write for the order of steps only. */
static inline bool op_is_left_frame(const struct wire_op *op)
{
	return op->kind == EV_WRITE && op->flags & OPF_LEFT;
}

enum turn_kind {
	TURN_STEP, /* `thread` runs to the end of its step `hook` */
	/* the oldest store in the buffer of `thread` (PSO: of those to the location `hook`)
	 * reaches memory */
	TURN_FLUSH,
};

struct wire_turn {
	uint32_t thread;
	uint32_t kind; /* enum turn_kind */
	uint64_t hook;
};

/* A thread that sleeps at the beginning of the free run.  The operations of its next step are
 * `count` entries from `first` on of the plan's sleeper_ops. */
struct wire_sleeper {
	uint32_t thread;
	uint32_t kind;	   /* enum turn_kind: the thread itself, or its buffer */
	uint64_t location; /* TURN_FLUSH under PSO */
	uint32_t first, count;
};

/* How threads are picked in the free run.  Only the first kind has sleeping threads. */
enum free_run_kind {
	FREE_RUN_NONPREEMPTIVE, /* as described at the top */
	/* at random: rt/explore_random.c */
	FREE_RUN_RANDOM,
	FREE_RUN_PCT,
	FREE_RUN_POS,
	FREE_RUN_FEW, /* few preemptions */
};

enum explore_restart { RESTART_AUTO, RESTART_INPLACE, RESTART_FORK, RESTART_EXEC };
/* Why a program is not restarted in place, beside system calls. */
enum explore_keeps {
	KEEPS_NOTHING,
	KEEPS_SIZE,
	KEEPS_BACKEND,
	KEEPS_STACKS,
	KEEPS_HEAP,
	KEEPS_OUTSIDE_WRITES
};

/* How an execution ended. */
enum explore_end {
	EXPLORE_RUNNING,
	EXPLORE_EXIT, /* exit_status */
	/* failure (finding.def), failure_object, failure_detail; deadlock included */
	EXPLORE_FAILURE,
	EXPLORE_REDUNDANT, /* only sleeping threads could run */
	EXPLORE_ASSUMED,   /* heddle_assume() of something false */
	EXPLORE_DIVERGED,  /* the plan could not be followed: at turn diverged_turn */
	EXPLORE_STEP_LIMIT,
	EXPLORE_THREAD_LIMIT,
	EXPLORE_FULL,	     /* more operations than fit */
	EXPLORE_UNSUPPORTED, /* text says what */
	/* threads made choices and came back to where they were (rt/repeat.c) */
	EXPLORE_REPEATED,
	/* only threads that had reached their limit of rounds could continue */
	EXPLORE_ROUND_LIMIT,
	EXPLORE_GONE, /* set by the tool: the process ended and reported no end */
};

/* The result of a system call in the first execution that made it; all others get the same. */
#define WIRE_ANSWERS 16
struct wire_answer {
	uint64_t call; /* number of the system call; 0: none */
	int64_t argument, result;
};

/* A loop that polls, and that is not recognised as waiting (rt/rounds.c). */
#define WIRE_POLLS 8
#define WIRE_POLL_ROUNDS 16 /* that a loop has made in a row, at least, without a limit */
/* A hook of a loop that was recognised as waiting and is not known yet (rt/await_loop.c). */
#define WIRE_LOOP_HOOKS 16
struct wire_loop_hook {
	uint64_t pc, first; /* the first of the same loop */
};

struct wire_poll {
	uint64_t pc;
	uint32_t rounds; /* most that were made in a row */
	uint32_t is_cut; /* they were as many as the thread may make */
};

/*
 * In the session's file, at explore_offset of struct wire_session.  Arrays lie behind it, at byte
 * offsets from its start.
 */
struct wire_explore {
	/* Set once by the tool. */
	uint32_t restart; /* the models of memory and heap are those of the session */
	uint32_t threads; /* in place: expected in one execution; the program corrects it */
	/* one execution, with events in the ring and no list of operations */
	uint32_t is_recorded;
	/* the end of a timed wait is a hook of its thread, as it is in a recording */
	uint32_t counts_waits;
	/* that sched_getaffinity() reports to the program; during the exploration it runs on one
	 * of them */
	uint64_t processors[16];
	uint64_t turns_offset, turns_room;
	uint64_t choices_offset, choices_room; /* uint32_t[] */
	uint64_t sleepers_offset, sleepers_room;
	uint64_t sleeper_ops_offset, sleeper_ops_room; /* struct wire_op[] */
	uint64_t ops_offset, ops_room;
	/* bytes of standard input, which all executions read from the start */
	uint64_t input_offset, input_room;

	/* The outside, as the program found it; kept from one execution to the next. */
	uint64_t input_count;
	uint64_t input_has_ended;
	struct wire_answer answers[WIRE_ANSWERS];

	/* The plan: set by the tool before each execution. */
	uint64_t turns_count, choices_count, sleepers_count;
	uint64_t step_limit;   /* hooks of all threads together; 0: none */
	uint64_t thread_limit; /* threads of one execution; 0: none */
	uint64_t round_limit;  /* unproductive rounds in a row (rt/rounds.c); 0: none */
	uint64_t loop_limit;   /* visits of a thread to one hook (rt/rounds.c); 0: none */
	uint64_t free_run;     /* enum free_run_kind */
	/* parameters of random schedules: see rt/explore_random.c */
	uint64_t free_run_seed, free_run_changes, free_run_length;
	/* 1: threads that spin are not suspended, as in a recording */
	uint64_t spins;
	/* 1: the turns are the beginning that a search chose: a round of a known loop that looks
	 * more than once and began in one of them is not taken back */
	uint64_t keeps_rounds;

	/* The handover: a futex each. */
	/* number of the execution that the program is to run */
	_Alignas(64) volatile uint32_t go;
	volatile uint32_t program_sleeps;    /* it is to be woken */
	_Alignas(64) volatile uint32_t done; /* number of the one that it has finished */
	volatile uint32_t tool_sleeps;

	/* The result. */
	volatile uint64_t ops_count;
	volatile uint32_t end; /* enum explore_end */
	volatile uint32_t exit_status;
	volatile uint32_t failure;
	volatile uint64_t failure_object, failure_detail;
	volatile uint64_t diverged_turn;
	volatile uint64_t hooks;	/* of all threads */
	volatile uint32_t polls_count;	/* only the first WIRE_POLLS loops are listed */
	volatile uint32_t is_round_cut; /* a loop, listed or not, reached the limit of rounds */
	struct wire_poll polls[WIRE_POLLS];
	volatile uint32_t loop_hooks_count;
	struct wire_loop_hook loop_hooks[WIRE_LOOP_HOOKS];
	volatile uint32_t restart_used; /* enum explore_restart */
	volatile uint32_t process;	/* number of the one that runs the execution */
	/* the process ends after this execution: the next one cannot run in place */
	volatile uint32_t process_ends;
	/* 1 + a system call that cannot be undone; 0: all can */
	volatile uint32_t not_in_place;
	volatile uint32_t
		keeps_other; /* something else that cannot be undone: enum explore_keeps */
	char text[512];	     /* why: a fallback, what is unsupported, what is assumed */
};

#endif
