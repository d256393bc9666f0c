/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract between the tool and the runtime inside the program under test.
 *
 * The tool creates one memory file, a struct wire_session followed by the replay schedule and the
 * ring, and starts the program with WIRE_ENV naming its descriptor.  The runtime maps it, removes
 * the variable and runs controlled.  A program started without the variable runs natively.
 *
 * The ring carries 64-bit words, written by the program (one thread of it runs at a time) and
 * read by the tool.  Every record is at least two words:
 *
 *   word 0   address or operand (48 bits) | kind (8) | size (8)
 *   word 1   pc (48 bits) | flags (8) | number of words that follow (8; 255: the next word holds
 *            the number)
 *   ...      operands
 *
 * Operands by kind:
 *   read, write, initial, outside-write of at most 8 bytes (size is the byte count):
 *     value [, mode]
 *   rmw of at most 8 bytes: old, new [, mode]
 *   the same kinds with size WIRE_SIZE_LONG: byte count | mode << 56, then the bytes (rmw: old,
 *     then new), each run padded with zero to whole words; with flag HASHED one word, a hash,
 *     instead of the bytes
 *   flush: number of the thread whose store it is, byte count, then the bytes padded with zero
 *   alloc, resize: byte count, a
 *   free: byte count
 *   input-data, thread-name, failure (their data may be empty): mode, a, b, byte count, bytes
 *     padded with zero
 *   switch: raw hooks so far; the address field is the number of the thread that goes on, the
 *     size is why (enum switch_why), the pc the path of the thread that ran before
 *   all others: mode [, a [, b]] (missing operands are 0)
 *
 * The thread of an event is that of the last switch, its call stack that of the last WIRE_STACK
 * of its thread.
 *
 * Everything the tool reads from here may have been damaged by the program: it checks sequence
 * and bounds. Tool and runtime compare WIRE_VERSION, a hash of the files of this directory
 * (tools/wire-version).
 */
#ifndef HEDDLE_WIRE_H
#define HEDDLE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#define WIRE_MAGIC 0x656c646465485754ull
#define WIRE_ENV "HEDDLE_SESSION"

enum event_kind {
#define EVENT(number, NAME, name, obj, a, b) EV_##NAME = number,
#include "wire/events.def"
#undef EVENT
};
/* What is above is no event.  It is no kind, so that a switch over kinds need not list it. */
enum { EV_LIMIT = 200 };

/* Records that describe rather than happen; they never get into a trace as events. */
enum wire_meta {
	WIRE_STACK = 200, /* address field: stack id of the running thread's next events */
	WIRE_STACK_DEF,	  /* address field: id; operands: parent id, return address */
	/* address field: load base; operands: size, flags, then the path, NUL-padded */
	WIRE_MODULE,
	WIRE_REGION, /* address field: start; operands: size, enum wire_region, thread number */
	WIRE_NOTE,   /* operands: text of a message for the user, NUL-padded */
	WIRE_MODULE_GONE, /* address field: load base of a module that has been unloaded */
	/* a site of plain accesses or branches: address field: its number; pc, size; operand: kind
	 */
	WIRE_SITE,
	/* a chunk of them (accesses.h): address field: bytes; pc and, as flags, kind of the last
	 * one; operands: number of accesses, the bytes padded with zero */
	WIRE_ACCESSES,
};

enum wire_region { REGION_MODULE = 1, REGION_HEAP, REGION_STACK, REGION_TLS, REGION_ARGS };

enum wire_module_flag { WIRE_MODULE_INSTRUMENTED = 1 };

/* Event flags (8 bits). */
enum event_flag {
	EVF_BRANCH = 1, /* the thread passed a branch since its previous event */
	EVF_FAILED = 2, /* compare-exchange that did not write */
	EVF_VOLATILE = 4,
	EVF_ZERO = 8,	 /* alloc: the block is filled with zero */
	EVF_HASHED = 16, /* data too long to keep: a is its hash */
	EVF_LIBC = 32,	 /* the access is made by a libc function on the caller's behalf */
	EVF_STACK = 64,	 /* the address lies in the running thread's own stack */
	/* write: it is in the buffer of its thread, and in memory only after its flush */
	EVF_BUFFERED = 128,
};

#define WIRE_SIZE_LONG 255
#define WIRE_EXTRA_LONG 255
#define WIRE_MAX_DATA 65536 /* more bytes than this are represented by their hash */

/* Memory orders in the mode byte of an access; 0 is a plain access, otherwise one more than the C11
 * constant. */
enum {
	MODE_PLAIN,
	MODE_RELAXED,
	MODE_CONSUME,
	MODE_ACQUIRE,
	MODE_RELEASE,
	MODE_ACQ_REL,
	MODE_SEQ_CST
};

/* What kind of lock or object a synchronisation event is about: mode byte of such an event. */
enum sync_mode {
#define SYNC_OBJECT(number, NAME, word, noun, HOLD, NEED) SYNC_##NAME = number,
#include "wire/sync.def"
};

/* What the program says in an EV_ANNOTATION: mode byte too. */
enum annotation {
#define ANNOTATION(number, NAME, word) ANNOTATION_##NAME = number,
#include "wire/annotation.def"
	ANNOTATION_LIMIT
};

/* Which object of libc an event EV_HIDDEN is about, unless it is one of those: mode byte too. */
enum hidden_object {
#define HIDDEN(number, NAME, word, sentence) HIDDEN_##NAME = number,
#include "wire/hidden.def"
	HIDDEN_LIMIT
};

/* Values of EV_HIDDEN for a lock that gives precedence to writers: a thread begins to wait for
 * writing, or gives up. */
#define WRITER_WAITS 1
#define WRITER_GONE 2
/* Values of EV_HIDDEN for HIDDEN_CHANNEL, of which the object is a number: bytes went in, or came
 * out. */
enum { CHANNEL_PUT = 1, CHANNEL_TAKEN = 2 };

/*
 * Values of EV_HIDDEN for HIDDEN_PENDING, of which the object is PENDING_OF a thread: it looked
 * and found nothing to deliver; it changed its mask; it took a signal; one was sent that it
 * blocks; one that it does not block, or awaits.
 *
 * Of HIDDEN_CANCEL likewise: it looked and found no request to end; it made the request itself;
 * it found one, which stays; another thread has made it.
 */
enum { PENDING_NONE, PENDING_MASK, PENDING_TAKEN, PENDING_SENT, PENDING_WAKES };
#define PENDING_OF(thread) ((1ull << 32) + (thread))
#define PENDING_PROCESS 0xffffffffu /* signals to the process that all threads block */

/* Value of EV_HIDDEN for HIDDEN_ENDS, if there is no other thread left; 0: main has not ended; 1:
 * it has. */
#define ENDS_LAST 2

/* Type operand of EV_SYNC_INIT for mutexes. */
enum mutex_type { MUTEX_NORMAL = 1, MUTEX_RECURSIVE, MUTEX_ERRORCHECK, MUTEX_ADAPTIVE };

enum wire_policy {
	POLICY_RANDOM,
	POLICY_PCT,
	POLICY_ROUNDROBIN,
	POLICY_REPLAY,
	POLICY_EXPLORE /* explore.h */
};

/* What the program's threads are: fibers of one OS thread, or real threads of which one runs at a
 * time. */
enum wire_backend { BACKEND_AUTO, BACKEND_FIBERS, BACKEND_THREADS };

/* A debugger beside the program: the tool asks for it, the runtime tells when it is there. */
enum wire_debugger { DEBUGGER_NONE, DEBUGGER_AWAITED, DEBUGGER_ATTACHED };

enum wire_state { STATE_STARTING, STATE_RUNNING, STATE_ENDING, STATE_ENDED };

/* The order in which stores of a thread become visible to the others (rt/buffer.c). */
enum wire_memory { MEMORY_SC, MEMORY_TSO, MEMORY_PSO };

/* Whether memory that was freed is given out again. */
enum wire_heap { HEAP_FRESH, HEAP_REUSE };

#define WIRE_FRESH_FILL \
	0xbe /* what fresh heap memory contains, unless the session says otherwise */

#define SPURIOUS_MAX 1000u /* wake-ups without a cause that a thread may have */

/* Why the running thread changes: mode byte of EV_SWITCH. */
enum switch_why {
	SWITCH_PREEMPT,
	SWITCH_BLOCK,
	/* It does not, but a store reaches memory, on entry to a hook or after the thread was
	 * blocked: in schedules only. */
	SWITCH_FLUSH,
	SWITCH_BLOCK_FLUSH,
};

/*
 * One entry of a schedule: when the process has passed `hooks` raw hooks, `thread` runs.  `why`
 * tells whether the switch is made on entry to that hook (SWITCH_PREEMPT) or later, because the
 * running thread cannot go on.  With one of the flushes and WIRE_STORE(place) the store at that
 * place of the buffer of `thread` reaches memory; 0 is the oldest one.
 */
#define WIRE_STORE(place) ((uint32_t)(place) << 8)
/* of SWITCH_BLOCK and SWITCH_BLOCK_FLUSH: the thread has gone on since the store before, and
 * blocks again at the same hook */
#define WIRE_BLOCKS_AGAIN (1u << 24)
/* in the mode byte of EV_FLUSH_TURN, beside the place: the running thread is blocked */
#define WIRE_FLUSH_BLOCKED 128
struct wire_step {
	uint64_t hooks;
	uint32_t thread;
	uint32_t why;
};

/*
 * What the outside gave to a recorded run, for its replay: a second memory file, which begins
 * with WIRE_INPUTS_MAGIC and has one record for each event of the kinds input, input-data,
 * io-wait and io-time, in order.  The bytes of an input-data event follow their record, padded
 * with zero to whole words.
 */
struct wire_input {
	uint32_t thread;
	uint16_t kind; /* of the event */
	uint16_t call; /* number of the system call; 0 for input-data */
	int64_t value; /* operand a of the event */
	uint64_t len;  /* bytes that follow */
};
#define WIRE_INPUTS_MAGIC "heddle-inputs 1\n"
#define WIRE_INPUTS_START 16

/*
 * Places (what the wrappers of libc functions have as their pc) at which a function that copies
 * or fills memory does so word by word, with a hook in front of each access; elsewhere the whole
 * call is one step.
 */
#define WIRE_DIVIDED_MAX 64

/*
 * A hook at which a round of a loop that waits may begin (rt/await_loop.c).  What the code behind
 * the hook does not use any more is no part of the thread's state there: registers, a bit each in
 * the order of struct hook_registers, and pieces of four bytes from the stack pointer on.
 */
#define WIRE_LOOPS_MAX 64
#define WIRE_LOOP_PIECES 128
struct wire_loop {
	uint64_t pc;
	uint32_t number; /* hooks of one loop have the same */
	uint32_t age;	 /* how often the search had begun when it became known */
	uint32_t reserved;
	uint32_t dead_registers;
	uint64_t dead_pieces[WIRE_LOOP_PIECES / 64];
};

struct wire_divided {
	uint64_t count;
	uint64_t loops_count;
	struct wire_loop loops[WIRE_LOOPS_MAX]; /* sorted by pc */
	/*
	 * Threads to which signals are sent, by bit: they look for one before each step, and what
	 * a handler interrupts begins with a hook (rt/signal_look.c).  The last bit is for
	 * signals to the process.
	 */
	uint64_t signals;
	/* Threads that are cancelled, by bit: they tell their looks for requests (rt/cancel.c). */
	uint64_t cancels;
	uint64_t places[WIRE_DIVIDED_MAX];
};

#define WIRE_SIGNALS_PROCESS (1ull << 63)
/* Bits of struct wire_divided for a thread, or for PENDING_PROCESS; threads of high numbers share
 * one. */
static inline uint64_t wire_signals_bit(uint64_t thread)
{
	return thread == PENDING_PROCESS ? WIRE_SIGNALS_PROCESS
					 : 1ull << (thread < 62 ? thread : 62);
}
static inline bool wire_looks_for_process(const struct wire_divided *d)
{
	return d->signals & WIRE_SIGNALS_PROCESS;
}
static inline bool wire_looks_for_signals(const struct wire_divided *d, uint64_t thread)
{
	return d->signals & (wire_signals_bit(thread) | WIRE_SIGNALS_PROCESS);
}

static inline bool wire_looks_for_cancel(const struct wire_divided *d, uint64_t thread)
{
	return d->cancels & wire_signals_bit(thread);
}

/*
 * For experiments with variables that were never written: when the entry hook that returns to pc
 * is called, the bytes from..to, counted from the caller's stack pointer, get this content.
 */
#define WIRE_FRAME_FILLS 4096
struct wire_frame_fill {
	uint64_t pc;
	uint32_t from, to;
	uint32_t byte;
	uint32_t reserved;
};
struct wire_frame_fills {
	uint64_t count;
	struct wire_frame_fill at[WIRE_FRAME_FILLS]; /* sorted by pc */
};

struct wire_session {
	uint64_t magic;
	uint32_t version;
	/* sizeof(struct wire_session), so that a mismatch is seen */
	uint32_t size_of_session;

	/* Set by the tool before the start. */
	uint32_t policy;  /* enum wire_policy */
	uint32_t preempt; /* see `heddle record --preempt` */
	uint64_t seed;
	/* pct: hooks from which changes are drawn; 0: not known.  Those are counted that are passed
	 * while at least two threads live */
	uint64_t length;
	uint64_t step_limit;	  /* raw hooks; 0: none */
	uint64_t until_event;	  /* stop before this event (counted from 0); ~0: never */
	uint64_t schedule_offset; /* struct wire_step[] in this file */
	uint64_t schedule_count;
	uint64_t choices_offset; /* uint32_t[]: outcomes of choices, in order */
	uint64_t choices_count;
	uint64_t ring_offset;
	uint64_t ring_size; /* bytes, a power of two and a multiple of the page size */
	uint64_t keep_aslr; /* 1: addresses are randomised; informative */
	/* bytes of the inputs to be given again; 0: the outside is asked */
	uint64_t inputs_size;
	int32_t inputs_fd;	    /* descriptor of their file */
	uint32_t backend;	    /* enum wire_backend */
	volatile uint32_t debugger; /* enum wire_debugger; the program changes it, too */
	/* 1: every access is a record of its own, none is in a chunk */
	uint64_t plain_accesses;
	uint64_t branch_events; /* 1: every branch is an event of its own */
	uint32_t memory;	/* enum wire_memory; unless it is sc, plain_accesses is 1 */
	uint32_t heap;		/* enum wire_heap */
	/* fresh memory from fill_from up to fill_to contains fill_byte, not WIRE_FRESH_FILL; both
	 * 0: none */
	uint64_t fill_from, fill_to;
	uint32_t fill_byte;
	/* so often may waits of a thread on condition variables end without a cause */
	uint32_t spurious_wakeups;
	/* 1: threads that spin are reported (rt/await.c); always with POLICY_EXPLORE */
	uint32_t awaits;
	/* a thread that needs stores to have left its buffer waits for that, as in an exploration
	 */
	uint32_t waits_for_stores;
	uint64_t explore_offset; /* struct wire_explore in this file; 0: none */
	/* with POLICY_EXPLORE addresses as they are, set before each execution; otherwise
	 * canonical ones */
	struct wire_divided divided;
	struct wire_frame_fills frame_fills; /* looked at when an execution begins */

	/* Written by the program, read by the tool. */
	_Alignas(64) volatile uint64_t head; /* words written; release store */
	volatile uint64_t hooks; /* updated on slow paths only: progress for the watchdog */
	/* of these, passed while at least two threads lived; known at the end */
	volatile uint64_t concurrent_hooks;
	volatile uint32_t state; /* enum wire_state */
	/* signals from outside that the program handles or awaits, bit n-1 for signal n */
	volatile uint64_t signals_heard;
	/* not 0: inside a call that may sleep in the kernel */
	volatile uint32_t sleep_allowed;
	/* the run ended because until_event was reached */
	volatile uint32_t stopped_at_until;
	/* replay: the schedule could not be followed; see diverged_* */
	volatile uint32_t diverged;
	volatile uint64_t diverged_step; /* index into the schedule */
	volatile uint64_t diverged_hooks;
	volatile uint32_t diverged_reason; /* enum wire_divergence */
	/* DIVERGED_INPUT: the system call that the program made */
	volatile uint32_t diverged_call;
	/* and the recorded one; WIRE_NO_CALL: there is none */
	volatile uint32_t diverged_wanted;
	volatile uint32_t diverged_thread; /* which thread made the recorded one */
	/* futex: the program waits for the tail to move */
	volatile uint32_t waiting_for_space;
	/* task that runs the program's code; 0: its main thread */
	volatile uint32_t running;

	/* Written by the tool, read by the program. */
	_Alignas(64) volatile uint64_t tail; /* words consumed */
	volatile uint32_t tool_gone;	     /* the tool stops listening: end */
};

enum wire_divergence {
	DIVERGED_NOT = 0,
	DIVERGED_THREAD_BLOCKED,
	DIVERGED_NO_THREAD,
	DIVERGED_RAN_PAST,
	DIVERGED_CHOICE,
	DIVERGED_BLOCKED_EARLY,
	DIVERGED_INPUT,
	DIVERGED_INPUT_SIZE,
	DIVERGED_NO_STORE
};
#define WIRE_NO_CALL 0xffffu
/* An object has 48 bits.  Of a fault whose address the processor does not say, since no memory can
 * have it: */
#define WIRE_NO_ADDRESS 0xffffffffffffull

/* Fixed places of the arena inside the program under test. */
#define ARENA_HEAP 0x100000000000ull  /* one part for each thread slot */
#define ARENA_HEAP_PART 0x80000000ull /* 2 GiB */
#define ARENA_SLOTS 4096
#define ARENA_STACKS 0x180000000000ull
#define ARENA_STACK_STRIDE 0x1000000ull /* 16 MiB: guard, stack, thread block at the top */
#define ARENA_ARGS 0x1f0000000000ull	/* copies of argv, environment */
#define ARENA_END 0x200000000000ull

#endif
