/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference: what a program of the form of prog.h can do.  Written from POSIX, the C
 * standard's words for orders, and the rules for store buffers in
 * tests/check_vs_reference/README.md; it shares no code with heddle.
 *
 * A state is a plain value without pointers.  Everything that a thread can do next is a move;
 * moves are whole steps that another thread can see, and what only the thread itself sees follows
 * at once (machine_apply). Two equal states are equal byte by byte, so a search can remember
 * where it has been.
 */
#ifndef CHECK_MACHINE_H
#define CHECK_MACHINE_H

#include "prog.h"

enum model {
	MODEL_SC,
	MODEL_TSO, /* one queue of stores for each thread */
	MODEL_PSO, /* one for each thread and location */
	MODEL_X86, /* what a real machine may do with glibc: TSO where only calls with a locked
				   instruction inside wait for the queue */
	MODELS
};

enum ending {
	END_NOT,
	END_EXIT,
	END_ASSERTION,
	END_DEADLOCK,
	END_LIVELOCK, /* nobody can go on, and somebody spins */
	END_USE_AFTER_FREE,
	END_DOUBLE_FREE,
	END_UNDEFINED, /* a rule of C or POSIX is broken in a way that nothing is promised for, or
				   the program is too large for the machine */
	ENDINGS
};

enum {
	STACK_BASE = GLOBAL_BYTES,
	/* a cell of one byte for each pointer variable */
	PVAR_BASE = STACK_BASE + STACK_BYTES,
	HEAP_BASE = 48,
	MEMORY_BYTES = HEAP_BASE + THREADS_MAX * BLOCKS * BLOCK_BYTES,
	BUFFER_MAX = 12,
	OUTPUT_MAX = 160,
	PENDING_MAX = 16, /* bytes in the stream, and in a pipe */
	MOVES_MAX = 64,
};

enum { ENTRY_STORE, ENTRY_RELEASE, ENTRY_FENCE };
struct entry {
	uint8_t addr, size, kind, zero[5];
	uint64_t value;
};

enum { THREAD_NOT_YET, THREAD_LIVES, THREAD_ENDED };
enum phase {
	PHASE_BEGIN,
	PHASE_QUEUED, /* in the queue of a condition variable */
	PHASE_WOKEN,  /* takes the mutex again, */
	PHASE_LATE,   /* ... after its deadline */
	PHASE_ONCE_RUNS,
	PHASE_ONCE_DONE,
	PHASE_AT_BARRIER,
	PHASE_LEAVES,	     /* has flushed the stream and ends the process next */
	PHASE_COPIES,	     /* between two accesses of a copy */
	PHASE_ASKS_TO_WRITE, /* known to readers of a lock that lets writers first */
	/* programs with signals: waits for a semaphore; a signal has ended that */
	PHASE_AT_SEMAPHORE,
	PHASE_INTERRUPTED,
	PHASE_SIGWAITS,	 /* for a signal, without a handler */
	PHASE_SUSPENDED, /* until a handler has run */
};
struct tstate {
	uint8_t state, pc, phase, tries, blocks, q[PREGS], buffered;
	uint8_t spurious; /* waits that ended without a cause so far */
	/* signals: blocked, sent, and the handlers that run, the last one on top, with the masks
	 * of before */
	uint8_t mask, sent, handlers, handler[SIGNALS], at[SIGNALS], masks[SIGNALS];
	/* of suspend; a handler has run after which a wait is given up */
	uint8_t mask_before, gives_up;
	/* bytes of the copy that are done; the next word is read and not yet written */
	uint8_t copied, holds;
	uint64_t r[REGS], word;
};

struct state {
	uint8_t memory[MEMORY_BYTES];
	/* owners and runners are thread numbers plus one */
	uint8_t owner[MUTEXES], depth[MUTEXES];
	uint8_t writer[RWLOCKS], readers[RWLOCKS][THREADS_MAX];
	uint8_t spin[SPINS], sem[SEMS], arrived[BARRIERS];
	uint8_t once[ONCES]; /* 0, 1 + runner, or ONCE_IS_DONE */
	uint16_t freed;	     /* a bit for each block */
	uint8_t end, status, written;
	uint8_t leaves; /* the thread that ends the process, plus one */
	uint8_t has_value[PROMISES];
	uint8_t pending, piped[PIPES]; /* bytes in the stream, in the pipes */
	uint8_t stream[PENDING_MAX], pipe[PIPES][PENDING_MAX];
	uint64_t promised[PROMISES];
	struct tstate thread[THREADS_MAX];
	uint8_t output[OUTPUT_MAX];
	struct entry buffer[THREADS_MAX][BUFFER_MAX]; /* oldest first; unused ones are zero */
};
#define ONCE_IS_DONE 255

struct machine {
	struct prog prog;
	enum model model;
	unsigned spurious; /* so many such waits may a thread have */
};

enum move_kind {
	MOVE_RUN,
	MOVE_TAKE_SIGNAL,
	MOVE_TIMEOUT,
	MOVE_SPURIOUS,
	MOVE_FLUSH,
	MOVE_CLOSE_CYCLE
};
struct move {
	uint8_t kind, thread;
	uint8_t choice; /* waiter to be woken, number chosen, entry to be flushed */
};

/* What a move touched, for the relation of dependence. */
enum {
	OBJ_MUTEX = MEMORY_BYTES,
	OBJ_RWLOCK = OBJ_MUTEX + MUTEXES,
	OBJ_SPIN = OBJ_RWLOCK + RWLOCKS,
	OBJ_COND = OBJ_SPIN + SPINS,
	OBJ_SEM = OBJ_COND + CONDS,
	OBJ_BARRIER = OBJ_SEM + SEMS,
	OBJ_ONCE = OBJ_BARRIER + BARRIERS,
	OBJ_THREAD = OBJ_ONCE + ONCES,
	OBJ_PIPE = OBJ_THREAD + THREADS_MAX,
	OBJ_PROMISE = OBJ_PIPE + PIPES,
	OBJ_SIGNALS = OBJ_PROMISE + PROMISES, /* of each thread */
	OBJ_STREAM = OBJ_SIGNALS + THREADS_MAX,
	OBJ_OUTPUT,
	OBJECTS
};
/* two of one kind commute, except changes */
enum use { USE_READ, USE_CHANGE, USE_SHARE, USE_POST, USES };
struct footprint {
	unsigned __int128 objects[USES][2];
};

void machine_start(const struct machine *m, struct state *s);
/*
 * All moves that are possible; those that would change nothing (a turn of a spinning thread) are
 * among them.
 */
unsigned machine_moves(const struct machine *m, const struct state *s, struct move out[MOVES_MAX]);
void machine_apply(const struct machine *m, struct state *s, struct move move, struct footprint *f);
/* Of a state that no move changes: some thread makes turns of a loop nevertheless. */
bool machine_spins(const struct machine *m, const struct state *s);

/* ---- shared by the parts of the machine ---- */

struct step {
	const struct machine *m;
	struct state *s;
	unsigned t;
	struct footprint *f; /* NULL: not wanted */
};

const struct insn *insn_of(const struct machine *m, const struct state *s, unsigned t);
void touch(const struct step *st, unsigned object, enum use use);
void end_with(const struct step *st, enum ending end);

/* memory.c */
/* False: the process has ended, by a use after free. */
bool memory_address(const struct step *st, const struct loc *l, unsigned *addr);
uint64_t memory_load(const struct step *st, unsigned addr, unsigned size);
void memory_store(const struct step *st, unsigned addr, unsigned size, uint64_t value,
		  enum order order);
/* past the buffer */
void memory_write(const struct step *st, unsigned addr, unsigned size, uint64_t value);
void memory_fence(const struct step *st, enum order order);
bool memory_can_flush(const struct machine *m, const struct state *s, unsigned t, unsigned entry);
void memory_flush(const struct step *st, unsigned entry);
void memory_free(const struct step *st, uint8_t pointer);
bool memory_holds_block(const struct state *s, unsigned t, uint8_t pointer);

/* signals.c */
bool signals_are_due(const struct state *s, unsigned t); /* its next move is to take one */
void signals_take(const struct step *st);		 /* what is due: its handler begins */
void signals_end_handlers(const struct step *st);	 /* those that are over */
/* of a handler; NULL */
const struct insn *signals_insn(const struct machine *m, const struct state *s, unsigned t);
bool signals_is_ready(const struct machine *m, const struct state *s, unsigned t);
uint64_t signals_perform(const struct step *st, const struct insn *in);

/* copy.c: the next access of a copy; the thread's phase says whether it was the last one */
void copy_perform(const struct step *st, const struct insn *in);

/*
 * sync.c: can it go on now, can its deadline pass now, whom does it wait for (a bit for each
 * thread), do it
 */
bool sync_is_ready(const struct machine *m, const struct state *s, unsigned t);
bool sync_can_time_out(const struct machine *m, const struct state *s, unsigned t);
bool sync_can_wake_by_itself(const struct machine *m, const struct state *s, unsigned t);
unsigned sync_waits_for(const struct machine *m, const struct state *s, unsigned t);
uint64_t sync_perform(const struct step *st, const struct insn *in, unsigned choice);
void sync_time_out(const struct step *st, const struct insn *in);
void sync_wake_by_itself(const struct step *st, const struct insn *in);

#endif
