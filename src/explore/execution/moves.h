/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One execution as the reduction sees it: a sequence of moves and the order that dependence gives
 * them.
 *
 * A *move* is a step of a thread, or the part of a step up to where the thread blocks.  Moves
 * without an operation that other threads can notice are left out.  So an acquire that has to
 * wait is one move, made when the lock is free; the waiting itself is none.  A wait for a
 * condition variable is two moves: the release of the mutex, and its acquire.
 *
 * *Before* is the smallest order that contains the sequence of moves of each thread, that of
 * dependent moves, and that of a move which creates or wakes a thread and the next one of that
 * thread.  Executions with the same moves and the same order are equivalent: one of them is
 * enough.  Clocks: clock of a move [p] is the number of moves of thread p that are before it or
 * itself.
 */
#ifndef HEDDLE_EXPLORE_EXECUTION_MOVES_H
#define HEDDLE_EXPLORE_EXECUTION_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/execution.h"
#include "explore/execution/opset.h"
#include "explore/cancellation.h"

#define MOVES_THREADS_MAX 4096
#define NO_MOVE SIZE_MAX
/* under TSO and PSO: store buffers are threads of their own, with numbers from here on */
#define BUFFERS_FROM 64

/* A move that can be planned. */
struct branch {
	uint32_t thread;
	uint32_t fixed_choices; /* those whose alternatives are explored elsewhere */
	/* its first and its last step; the same unless moves are coarse */
	uint64_t first, hook;
	struct opset *ops; /* a reference of its own */
	/* in a sleep set: another worker explores it now; to be explored: so are all that sleep
	 * (worktree.h) */
	bool is_open;
	bool has_free_answers; /* to be explored: with all other answers to its choices, too */
};

/* How a thread waits, or did before a move. */
struct pause {
	bool is_waiting;
	bool is_timed;
	bool is_flush;	     /* until its own stores have left its buffer; no signal ends that */
	bool is_join;	     /* until the thread that is the object has ended */
	bool is_cancellable; /* until the thread is cancelled */
	/* before a move: a signal, which ends any wait, or a request to end has interrupted it;
	 * the move needs that or what the thread waited for */
	bool is_interrupted;
	uint8_t mode;
	uint64_t object;
	uint64_t hook;
	struct opset *awaits; /* reads whose change it waits for; NULL: none */
	/* a round of a known loop failed and was taken back: what changes may fail again */
	bool may_fail_again;
	uint64_t poll; /* the state in which it failed (OP_POLL) */
};

/* A wait until the thread is woken, which may time out instead: the timeout is a move of the step
 * `hook`. */
struct timed_wait {
	uint64_t object; /* condition variable or futex; 0: there is none */
	uint64_t hook;
	uint8_t mode;
	bool is_cancellable; /* and then the thread looks whether it is cancelled */
};

/* Whose stores are in a buffer; PSO: those to one location. */
struct buffer_of {
	uint32_t thread;
	uint64_t location;
};

/*
 * Flushes of one thread's stores: from the last one on, by flush_before of struct move, until one
 * that is not behind `known`.  That and those below it are before an earlier move of the thread
 * anyway, so each is looked at a few times only, however long the execution is.
 */
struct flushes {
	size_t last, known; /* NO_MOVE: none */
};

/* A store that waits for its flush, or, of a flush, the one that reached memory. */
struct stored {
	size_t move;
	uint64_t location;
	uint32_t thread, size;
	uint64_t number; /* among those of its thread, from 1; 0: this is none */
	uint64_t epoch;	 /* release fences of its thread before it */
	bool is_release;
	/* of a flush under PSO: those among which it may have to find others */
	struct flushes before;
};

/* Flushes of a thread's own stores that its next move comes after, because it had to wait for them.
 */
struct drained {
	uint64_t low, high; /* those to [low, high); high 0: none */
	struct flushes of;
};

struct move {
	struct branch branch;
	uint32_t index; /* among the moves of its thread, from 1 */
	/* of clocks: its thread, unless those without moves have none (sources.h) */
	uint32_t column;
	size_t previous;   /* of the same thread; NO_MOVE */
	size_t enabled_by; /* created or woke it; NO_MOVE: nothing but what it depends on */
	/* of a flush: the one before it of a store of the same thread; NO_MOVE */
	size_t flush_before;
	struct drained drained;
	struct stored flushed; /* of a flush */
	struct wire_op need;   /* what it may have to wait for; kind 0: nothing */
	/* of one that closes a deadlock cycle: the request that failed; kind 0: none */
	struct wire_op refused;
	struct pause pause;	 /* before it */
	struct timed_wait timed; /* before it, whether it was woken or timed out */
	/* not 0: a round of a known loop begins with it, in this state (OP_POLL), which may fail
	 * elsewhere (rt/await_loop.c) */
	uint64_t poll;
};

struct thread_now {
	uint32_t moves;
	size_t last; /* NO_MOVE: none */
	size_t created_by, woken_by;
	struct timed_wait timed; /* as in struct move, since its last move */
	VEC(struct stored) stored;
	uint64_t stores, epoch;
	struct flushes flushes; /* of its stores; known: when it had to wait for all of them */
	struct drained drained; /* since its last move */
	uint64_t hook;		/* highest seen */
	bool is_there, has_ended;
	struct pause pause;
	/* what it awaited before it slept or waited for a lock without a move since; NULL: nothing
	 */
	struct opset *passed;
	VEC(struct wire_op) reads; /* of a step that had to wait after nothing but them */
	/* steps since its last move in which it waited and timed out, or may have */
	VEC(uint64_t) waits;
};

/* A thread went on from an await and made no move there: it has to wait again. */
struct passed_await {
	size_t moves; /* so many were made before */
	uint32_t thread;
};

/* What a step did, as it is in the list. */
struct step_ops {
	const struct wire_op *ops;
	size_t count;
};

struct moves {
	VEC(struct move) moves;
	VEC(uint32_t) clocks; /* `stride` for each move */
	size_t stride;
	VEC(struct thread_now) threads;
	VEC(struct passed_await) passed; /* of the execution that was read last */
	/* of its list, while it is read (back.c): whether an entry was taken back, and whose it is
	 */
	VEC(bool) taken_back;
	VEC(uint64_t) owners;
	/* of all executions: rounds that failed, by their state and the one thing that they looked
	 * at; the first content of what they looked at (back.c) */
	struct map failed_rounds, first_values;
	/* by number from BUFFERS_FROM on; they keep it from execution to execution */
	VEC(struct buffer_of) buffers;
	/* Gives a new buffer its number, the same for all workers that share a search tree; NULL:
	 * the tree is not shared. */
	size_t (*number_buffer)(void *arg, struct moves *h, struct buffer_of b);
	void *number_arg;
	bool is_total; /* every two moves are dependent: plain search */
	/* Coarse moves: steps of a thread between which others may not run make one move; NULL:
	 * each step is one. */
	bool (*may_switch)(void *arg, const struct step_ops *before, const struct step_ops *after);
	void *may_switch_arg;
	/* The moves that were planned after those that are there.  A thread that ran long may have
	 * been preempted within a coarse move: a planned move ends at the same step again,
	 * whichever thread comes next now. */
	const struct branch *planned;
	size_t planned_count;
	/* Of the search that reads the execution: if it is cancelled, moves_read() gives up.  NULL:
	 * it never does. */
	struct cancellation *cancellation;
};

void moves_release(struct moves *h);
/* Forget everything from that move on. */
void moves_truncate(struct moves *h, size_t moves);

/*
 * Read an execution that shares its first `same` moves with the one that is there, and make the
 * rest anew, without clocks.  Gives how many moves were found to be the same, which is less if
 * the program did something else this time.  Errors: ERR_FORMAT, the list of operations is
 * damaged.
 *
 * If it was cancelled (is_cancelled), the first `same` moves are as they were, and others may be
 * missing.
 */
int moves_read(struct moves *h, const struct execution *x, size_t same, size_t *found,
	       struct err *err);

/* Whether the thread went on from an await after so many moves, and has to wait again. */
bool moves_has_passed(const struct moves *h, size_t moves, uint32_t thread);

/* There are clocks for the first `known` moves: make room for those of all, with so many columns.
 */
void moves_make_room(struct moves *h, size_t known, size_t columns);
/* What makes a move come after others, whether it depends on them or not. */
struct preceded {
	size_t previous, enabled_by; /* as in struct move */
	struct drained drained;
	const struct stored *flushed; /* NULL: it is no flush */
	/* of one that closes a deadlock cycle: its threads, which block before it; NULL: none */
	const struct opset *closes;
};
static inline struct preceded move_preceded(const struct move *m)
{
	return (struct preceded){ m->previous, m->enabled_by, m->drained, &m->flushed,
				  m->branch.ops };
}
/* Those flushes among them that the thread had to wait for come before what has that clock. */
void moves_join_drained(const struct moves *h, const struct drained *d, uint32_t *clock);
/* What the clock of a move, made after the first `end`, is before its own dependences: `stride`
 * threads. */
void moves_clock_before(const struct moves *h, const struct preceded *p, size_t end,
			uint32_t *clock);
/*
 * Whether the order of two moves of different threads matters.  What a thread reads does not
 * depend on the flushes of its own stores: it sees them before and after; that a flush follows
 * its store, and what needs an empty buffer, is order anyway.
 */
bool moves_depend(const struct moves *h, const struct branch *a, const struct branch *b);
/* The turn that makes the thread go on to that step, or flushes that buffer. */
struct wire_turn moves_turn(const struct moves *h, uint32_t thread, uint64_t hook);
static inline uint32_t *moves_clock(const struct moves *h, size_t move)
{
	return h->clocks.at + move * h->stride;
}
/* Give a move its clock; those before it have theirs. */
void moves_order(struct moves *h, size_t number);
/* A hash that is the same for all executions of this order; every move has its clock. */
uint64_t moves_class(const struct moves *h);
void clock_join(uint32_t *clock, const uint32_t *other, size_t count);
bool clock_is_within(const uint32_t *clock, const uint32_t *other, size_t count);
static inline bool moves_is_before(const struct moves *h, size_t a, size_t b)
{
	const struct move *m = &h->moves.at[a];
	return m->index <= moves_clock(h, b)[m->column];
}

/* Whether a store buffer is that of the thread. */
bool moves_is_buffer_of(const struct moves *h, uint32_t buffer, uint32_t thread);
/*
 * Whether a thread could have what it needs after the moves up to `first`, and those between
 * `first` and `end` that `first` is not before (enabled.c).  The objects are those of the moves
 * before `end` (objects.h).
 */
enum need { NEED_MISSING, NEED_UNSURE, NEED_MET };
struct objects;
enum need moves_has_need(const struct moves *h, const struct objects *o, uint32_t thread,
			 const struct wire_op *need, const struct pause *pause, size_t first,
			 size_t end);
/*
 * Whether the round of a known loop, begun there in that state, would look at the same as one that
 * failed.  `looks`: what it does first, or what it awaits.  False: it would not, or that is not known.
 */
bool moves_round_fails(const struct moves *h, uint32_t thread, uint64_t state,
		       const struct opset *looks, bool is_await, size_t first, size_t end);
/*
 * The same after these moves, in this order, which need not be that of the history; the first
 * `made` of the history tell what a semaphore began with.
 */
bool moves_need_is_met(const struct moves *h, size_t made, uint32_t thread,
		       const struct wire_op *need, const uint32_t *order, size_t count);
/* Whether what the thread awaits is different from what it read after these moves.  It is if the
 * thread awaits nothing. */
enum need moves_await_ends(const struct moves *h, uint32_t thread, const struct opset *awaits,
			   const uint32_t *order, size_t count);
/* Whether the thread of a move that looks for signals could have gone on from its wait after
 * these moves. */
bool moves_can_go_on(const struct moves *h, size_t made, const struct move *m,
		     const uint32_t *order, size_t count);
/* Whether a failure (finding.def) means that no thread can continue: it is no thread's own. */
bool failure_is_of_all(uint64_t failure);
/* Whether it means that threads wait for each other, while others may go on. */
bool failure_is_cycle(uint64_t failure);
/* The operation that a waiting thread is waiting to make; kind 0: it needs to be woken. */
struct wire_op pause_need(const struct pause *p);
/*
 * The call that waits for a descriptor, as an operation on the outside; kind 0: it does not wait
 * so.  When it can be made is not known here: the program tells it (rt/explore.c, refuse_if_io).
 */
struct wire_op pause_call(const struct pause *p);
/* What a thread that takes a signal was waiting for, as an operation; kind 0: nothing but a signal.
 */
struct wire_op pause_use(const struct pause *p);
/* Whether an operation makes the thread take a signal. */
bool op_interrupts(const struct wire_op *op, uint32_t thread);
/* Whether it is the request that the thread ends. */
bool op_cancels(const struct wire_op *op, uint32_t thread);
/* Whether it is a look of the thread for that request. */
bool op_looks_for_cancel(const struct wire_op *op, uint32_t thread);
/*
 * The looks with which the next move of a thread begins, at most LOOKS_MAX: for a request to end,
 * if that ends the thread's wait, and for signals, as in its last move.
 */
#define LOOKS_MAX 3
size_t moves_looks(const struct moves *h, uint32_t thread, size_t last, bool is_cancellable,
		   struct wire_op *out);
/* What the thread would do next after its move `last`: look, and do that. */
struct opset *moves_new_next(const struct moves *h, uint32_t thread, size_t last,
			     bool is_cancellable, const struct wire_op *ops, size_t count);
/* The operation of a wait that times out. */
struct wire_op timed_end(const struct timed_wait *t);

#endif
