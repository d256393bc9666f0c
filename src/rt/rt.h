/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime inside the program under test: what its files share.
 *
 * Started without a session the runtime is inert: g.active stays 0, every hook returns at once,
 * every interposed function calls the real one.  Started by the tool it runs the program's
 * threads one at a time (as fibers on one OS thread, or as real threads that hand control over),
 * decides at every hook who goes on, models all synchronisation and writes exact events to the
 * ring.
 *
 * Rules for every file here:
 *  1. No heap, no stdio, no locale.  Memory comes from rt_map() and lives until the process ends.
 *  2. Only what rt/, wire/ and heddle/ declare.  libc is called through real.h (resolved once,
 *    before main)
 *     or by raw system calls (sys.h), never by its plain name, which would lead to our own wrapper.
 *  3. No thread-local variables: fibers may share one OS thread, state is in struct thread.
 *  4. Mutable state is declared RT_STATE (or RT_KEPT), so that it lies in one section, apart from
 *    the
 *     program's data.
 *  5. errno is the program's: a wrapper leaves it as the real function would.
 *  6. A compiler may turn a struct copy into a call of memcpy; the build renames such calls to
 *    rt_memcpy
 *     (mem.c), so that they never reach the interposed function.
 *  7. One writer: a record becomes visible to the tool when ring_commit stores the new head.
 *
 * Life of a hook: settle the previous write (its store has happened by now), count the hook,
 * perhaps switch to another thread, then do or note what the hook is about, and append the event.
 * No other thread runs between the event and the access itself, so events stand in the trace in
 * the order in which they took effect.
 */
#ifndef HEDDLE_RT_H
#define HEDDLE_RT_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "wire/accesses.h"
#include "wire/path.h"
#include "wire/wire.h"

/* Weak: a program that defines a function of the same name (its own malloc, its own getline)
 * keeps it. */
#define RT_EXPORT __attribute__((visibility("default"), weak))
#define RT_STATE __attribute__((section("heddle_state")))
/*
 * The same for what stays as it is when the next execution begins in the same process
 * (explore_snapshot.c). These are large tables that begin as zeros, which a program's file need
 * not have; for gcc that can be said, if the assembler does not read the rest of its directive.
 */
#ifdef __clang__
#define RT_KEPT __attribute__((section("heddle_kept")))
#else
#define RT_KEPT __attribute__((section("heddle_kept,\"aw\",@nobits#")))
#endif
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define PC ((uintptr_t)__builtin_return_address(0))

typedef uintptr_t pc_t;

/* One entry of a thread's call stack as the function hooks report it. */
struct frame {
	pc_t call;	 /* return address into the caller */
	uintptr_t sp;	 /* stack pointer at the entry hook; larger is older */
	uint32_t id;	 /* stack id of the chain up to here, FRAME_NEW if not interned yet */
	uint32_t serial; /* distinguishes lives of frames at the same place */
	pc_t entry;	 /* in the function itself */
};
#define FRAME_NEW UINT32_MAX
#define FRAMES_MAX (1u << 20)

/* A write whose store has not happened yet when its hook is called. */
struct pending {
	uintptr_t addr;
	pc_t pc;
	size_t size; /* 0: none */
	uint8_t flags;
	uint8_t skip; /* hooks to let pass before the store has happened (late stores) */
};

/* The same where nothing but the value is left to be found out (hooks.S); its size is g.unsettled.
 */
struct quick_write {
	uintptr_t addr;
	struct site *site;
	uint8_t flags;
};

enum thread_state {
	THREAD_READY,
	THREAD_BLOCKED, /* in sched_wait */
	THREAD_ENDED,
};

/* How a wait ended. */
enum wait_end {
	WAIT_WOKEN,	  /* what it waited for may have happened: look again */
	WAIT_TIMED_OUT,	  /* the schedule let the deadline pass */
	WAIT_CANCELLED,	  /* the thread is to end (pthread_cancel) */
	WAIT_INTERRUPTED, /* a signal for it has arrived */
};
#define NO_DEADLINE UINT64_MAX

struct sync;
struct wire_op;

#define THREAD_NOBODY UINT32_MAX
#define LIBC_CALLS 16
#define GIVEN_MAX 16

/* Where the running thread left the program's stack: stack pointer and frame pointer of the
 * caller of what runs on the hook stack, which is the program or a wrapper; 0: unknown. */
struct program_stack {
	uintptr_t sp, fp;
};
extern struct program_stack rt_program __attribute__((visibility("hidden")));

#define ATOMIC_SPS 8
struct thread {
	uint32_t id;
	enum thread_state state;
	void *sp;		   /* saved stack pointer while another thread runs */
	struct program_stack left; /* saved rt_program */
	/* addresses in its own frames that it gave away (left_frame.h), and that there were more */
	uintptr_t given[GIVEN_MAX];
	uint32_t given_count;
	bool gave_more;
	uintptr_t fs; /* base of its TLS */
	pthread_t handle;
	uint32_t slot; /* of stack and heap part */
	/* of guard_low to stack_low the program may use nothing */
	uintptr_t guard_low, stack_low, stack_high;
	uintptr_t hook_top; /* saved rt_hook_top while another thread runs */
	/* where its hook stack begins; HOOK_ROOM bytes below are in it */
	uintptr_t hook_base;
	size_t guard_size; /* as the program asked for */
	/* which the program gave it: no guard, and not in the arena's slots */
	bool has_own_stack;
	uintptr_t slot_top;   /* end of what is free in its slot */
	struct frame *frames; /* frames[0] is a sentinel */
	struct frame *frame;  /* innermost; valid while another thread runs */
	/* Likewise, while another thread runs: the stacks told last in a chunk and in a record,
	 * and the last accesses. */
	uint32_t chunk_stack_id, stack_id;
	struct site *site;
	struct access_thread seen;
	struct pending late; /* likewise */
	uint8_t branched;    /* likewise */
	uint64_t path;	     /* likewise (wire/path.h) */
	bool detached;
	struct thread *joiner;	  /* who waits for its end to take its result */
	uint64_t clock, deadline; /* causal virtual time, nanoseconds */
	uint64_t end_clock;
	/* While blocked: what for, and whether the wait may end by itself when the clock shows
	 * `deadline`. */
	struct sync *wait_on;
	struct thread *wait_thread; /* join */
	bool wait_is_timed, wait_is_cancellable, wait_is_to_read;
	uintptr_t call_sp; /* where the frame of the system call is that it makes */
	/* In outside_sleep: for which descriptors (NULL: to try again), and whether one was seen
	 * to be ready. */
	bool wait_is_io, io_is_ready;
	uint32_t io_count;
	struct pollfd *io_fds, *io_room;
	/* Inside a function of stdio: its stream if it is locked meanwhile. */
	void *stream;
	bool in_stream;
	enum wait_end wait_end;
	struct thread *next_waiter; /* in a condition variable's or futex's queue */
	/* so often did a wait on a condition variable end without a cause */
	uint32_t spurious_wakeups;
	/* a condition variable's, in which it stands while a handler runs, too */
	struct sync *queue;
	uint32_t futex_bits;	     /* wakes that it waits for */
	struct sync *held;	     /* locks it holds, newest first */
	uintptr_t asks;		     /* annotated lock that its own code is about to get, 0: none */
	struct hold *reads;	     /* rwlocks that it holds for reading */
	uint64_t reached_in;	     /* search for cycles of waits: the last one that came here, */
	struct thread *next_reached; /* where that one goes on, */
	struct thread *reached_from; /* and who waits for it; NULL: the first one */
	uint32_t priority;	     /* pct */
	/* in rt_threads_live; behind its end: that of who came before it */
	uint32_t live_index;
	void *(*start)(void *);
	void *argument, *result;
	void *cleanup;	 /* innermost pthread_cleanup_push buffer */
	uint32_t cancel; /* CANCEL_* bits */
	/* condition variable for which it has waited, cancellably, since it looked for a request;
	 * 0: none */
	uintptr_t cancel_cond;
	/* a signal or a cancellation is to be acted on when it goes on */
	bool needs_attention;
	bool is_c11;		/* start returns an int */
	struct once_call *once; /* innermost one-time initialisation that it runs */
	/* destructors of its thread_local objects, newest first */
	struct exit_call *exit_calls;
	uint64_t unwind_room[8]; /* the unwinder's exception object */
	/* Signals (signal.c); sets have bit n-1 for signal n. */
	struct queued_signal *signals; /* sent to it and not delivered yet, oldest first */
	uint64_t signal_mask;	       /* blocked */
	uint64_t signals_awaited;      /* by sigwait and its kind */
	void *alternate;	       /* sigaltstack */
	size_t alternate_size;
	bool is_suspended; /* waits until a handler has run, which gives the mask back: */
	uint64_t mask_before;
	pc_t signal_pc; /* where it waits, in either way */
	bool restarts;	/* no handler that ran since the wait began wants it to end early */
	uint64_t handlers_run;
	/* it waits for that, or has not gone on since it was woken, and EINTR may come of it; 0:
	 * nothing */
	uintptr_t interruptible;
	uint8_t interruptible_mode;
	int fault_signal; /* its handler runs because of this fault */
	uintptr_t fault_addr;
	pc_t fault_pc;
	uintptr_t fault_at; /* where the last fault was whose handler came back, and when */
	uint64_t fault_hooks;
	/* stack pointers of the outermost calls into libc, of g.no_preempt */
	uintptr_t libc_calls[LIBC_CALLS];
	struct thread *creator;
	struct store_buffer *buffer; /* NULL under sc */
	bool looks_later;	     /* for signals: not before its stores have gone */
	bool awaits_flush;	     /* blocked until its buffer has nothing to there */
	/* what the step that it is in, if that is OPF_DRAINED, needs to be through */
	uintptr_t drain_from;
	size_t drain_size;
	/* what it did since it changed something last; NULL: not watched yet */
	struct await *await;
	/* stands where it goes on only if something that it read has changed */
	bool awaits;
	struct repeat *repeat; /* its states at choices since its last effect (repeat.c) */
	bool at_choice;	       /* its next hook is that of a choice of its own */
	bool repeats;	       /* it made a round of choices only, and does not go on */
	struct rounds *rounds; /* its unproductive rounds (rounds.c) */
	bool is_held;	       /* it awaits because it has made as many of them as it may */
	bool is_untimed;       /* for the same reason it waits without a deadline */
	uint32_t atomic_depth; /* in __VERIFIER_atomic sections */
	/* stack pointers of the outermost of them, if they are functions; UINTPTR_MAX otherwise */
	uintptr_t atomic_sp[ATOMIC_SPS];
	uint16_t step_flags; /* of the step that it is in, for the explorer */
	char name[16];
	/* The real thread behind it (donor.c). */
	volatile uint32_t turn; /* enum turn; a futex */
	uint32_t tid;
	void *home;
	pc_t thrown_at; /* where it last threw an exception */
	/* Exploration (explore.c). */
	/* raw hooks that it has passed; of ends of timed waits see wire/explore.h */
	uint64_t own_hooks;
	uint64_t free_priority; /* explore_random.c; 0: it has none yet */
	/* the access or lock that it stands before, if g.draws_again; size 0: it is something else
	 */
	uintptr_t next_addr;
	size_t next_size;
	bool next_changes;
	uint64_t step;	       /* how many they were when its step began: the number of the step */
	bool ends_process;     /* its next step does */
	bool passes;	       /* it has gone on from an await, and nobody could notice it yet */
	bool is_in_copy;       /* it stands between the words of a copy that is divided */
	bool is_pure;	       /* what it does up to its next hook is to read and write memory */
	uintptr_t lowest_sp;   /* of a function that it entered */
	bool used_library;     /* it has called a function of libc, or made a system call */
	uint32_t random_calls; /* so many times it asked for random bytes */
	/* OPF_*: what its next acquire or release is to be told with */
	uint16_t acquires_by;
	bool is_asleep; /* its next step has been explored from an equivalent state */
};

/* What the hooks touch all the time.  Where what hooks.S uses lies is also said in hot.h, which
 * access.c checks. */
struct hot {
	uint32_t active;     /* controlled execution is on */
	uint32_t no_preempt; /* counter: inside something that must not be interrupted */
	/* hooks that may pass before the scheduler wants to be asked; 0 while inactive */
	int64_t budget;
	uint32_t slow; /* HOT_*: reasons to take the slow path */
	/* size of the quick write that is noted, UNSETTLED_OTHER: pend or late is in use, 0: none
	 */
	uint32_t unsettled;
	pc_t hook_pc; /* caller of the hook being executed, for the fault handler */
	/* Plain accesses of the running thread (chunk.h). */
	/* accesses in the chunk: those in tokens, and those as expected since then */
	uint64_t chunk_events;
	struct site *site; /* of the last one */
	struct access_thread seen;
	uint64_t memory; /* what was in memory before the write that is being settled */
	struct quick_write quick;
	/* EVF_BRANCH: the thread has passed a branch since its last event */
	uint8_t branched;
	uint64_t path; /* of the running thread (wire/path.h) */
	/* The module of the last branch, and what to add for canonical addresses; no size:
	 * branches are events. */
	uintptr_t code_low, code_size, code_shift;
	uintptr_t stack_low, stack_size;     /* of the running thread */
	uintptr_t modules_low, modules_size; /* addresses outside it are canonical already */
	uint64_t chunk_told;		     /* accesses of the chunk that are in tokens */
	uint8_t *chunk_at;		     /* where the next token goes */
	struct pending pend, late;
	uint64_t hooks_bias;  /* raw hooks so far = hooks_bias - budget */
	uint64_t *out;	      /* next ring word */
	uint64_t *out_limit;  /* words before it are free */
	uint64_t written;     /* words so far: the ring's head */
	uint64_t events_left; /* until the event at which to stop */
	struct frame *frame;
	uint32_t chunk_stack_id, stack_id; /* told last, in a chunk and in a record */
	struct thread *cur;
	uint32_t internal;	      /* counter: the runtime itself calls libc */
	struct wire_session *session; /* NULL: native */
	/* Exploration (explore.h). */
	bool watches;	/* every hook and every event is looked at for threads that spin */
	bool exploring; /* events become operations of a list, nothing goes into the ring */
	/* operations of the running thread belong to the last step in the list */
	bool step_is_told;
	bool has_sleepers;
	/* what others are about to do matters to lots (explore_random.c) */
	bool draws_again;
	struct wire_op *op_next, *op_limit;
};
extern struct hot g __attribute__((visibility("hidden")));
/* hook_stack.S; the registers are the program's (or a wrapper's) at the hook that is being
 * executed. */
extern uintptr_t rt_hook_top __attribute__((visibility("hidden")));
struct hook_registers {
	uint64_t rbx, rbp, r12, r13, r14, r15;
	uintptr_t sp;
};
extern struct hook_registers rt_hook_registers __attribute__((visibility("hidden")));
/* hook_base of the running thread */
extern uintptr_t rt_hook_base __attribute__((visibility("hidden")));
#define HOOK_ROOM \
	0x40000ull /* the hook stack, below every stack; handlers of signals run there, too */
#define RUNTIME_ROOM 0x3000ull /* of it, for frames of the runtime above a handler */
static inline bool is_on_hook_stack(const struct thread *t, uintptr_t p)
{
	return t->hook_base - p - 1 < HOOK_ROOM;
}

#define HOT_NEW_STACK 0x100 /* the call stack may have changed since the last plain access */
/* the program has looked at a clock: causality of time is tracked; stays set */
#define HOT_CLOCK 0x200
#define HOT_SLOW 0x400 /* events are counted or plain records are wanted; stays set */
#define UNSETTLED_OTHER 16

static inline unsigned rt_take_branch(void)
{
	unsigned flags = g.branched;
	g.branched = 0;
	return flags;
}

/* Both at once: the next hook loads them together, and would have to wait for two stores. */
static inline void rt_set_first(uint32_t slow, uint32_t unsettled)
{
	uint64_t both = slow | (uint64_t)unsettled << 32;
	__builtin_memcpy(&g.slow, &both, 8);
}

static inline uint64_t rt_hooks(void)
{
	return g.hooks_bias - (uint64_t)g.budget;
}

/* ---- start.c ---- */
bool rt_owns_code(uintptr_t pc); /* is this an instruction of the runtime? */
/* at once, by a raw system call */
void rt_end_process(int status) __attribute__((noreturn));
void rt_give_up_control(void);		      /* what still runs is the program's own affair */
void rt_stop(void) __attribute__((noreturn)); /* the run ends here because of a finding */
void rt_detach_session(void);		      /* in a child: the run is that of the parent alone */
void rt_announce_exec(pc_t pc);		      /* another program takes over the process */

/* ---- module.c: see module.h ---- */
bool rt_is_libc_code(uintptr_t pc); /* of libc or another uninstrumented library? */
bool module_is_loader(pc_t pc);	    /* of the dynamic linker? */

/* ---- mem.c ---- */
/*
 * Where the runtime's own memory is: the same in recording and replay, since copies of such
 * addresses, in registers that a function saves, may stay on the program's stack.
 */
#define RT_MEMORY 0x280000000000ull /* of rt_map(), in the order of the calls */
#define RT_RING 0x2c0000000000ull   /* the ring; the rest of the session ends there */
#define RT_INPUTS 0x2e0000000000ull /* what a replay is fed with */
void *rt_memcpy(void *to, const void *from, size_t n);
void *rt_memset(void *to, int byte, size_t n);
int rt_memcmp(const void *a, const void *b, size_t n);
size_t rt_strlen(const char *s);
bool rt_streq(const char *a, const char *b);
void *rt_map(size_t bytes);	      /* zeroed, ends the process with a message on exhaustion */
void *rt_map_kept(size_t bytes);      /* the same for RT_KEPT */
void rt_unmap(void *p, size_t bytes); /* what rt_map gave */
void *rt_map_at(uintptr_t where, size_t bytes);
/* environment failure: message, status 3 */
void rt_fatal(const char *sentence) __attribute__((noreturn));

/* ---- ring.c ---- */
void ring_attach(void);
void ring_wait_space(uint64_t words);
/* returns if the event may happen all the same */
void ring_until_reached(void) __attribute__((cold));

/* ---- events (event.c); all settle nothing and schedule nothing ---- */
void ev_access(unsigned kind, const volatile void *addr, size_t size, unsigned mode, unsigned flags,
	       pc_t pc);
void ev_rmw_packed(const volatile void *addr, size_t size, const void *old_value,
		   const void *new_value,
		   /* six arguments, all in registers (hook_stack.S) */
		   unsigned mode_and_flags, pc_t pc);
static inline void ev_rmw(const volatile void *addr, size_t size, const void *old_value,
			  const void *new_value, unsigned mode, unsigned flags, pc_t pc)
{
	ev_rmw_packed(addr, size, old_value, new_value, mode | flags << 8, pc);
}
void ev_sync(unsigned kind, uintptr_t obj, unsigned mode, uint64_t a, uint64_t b, pc_t pc);
void ev_block(unsigned kind, uintptr_t addr, uint64_t size, uint64_t a, unsigned flags, pc_t pc);
void ev_flush(uintptr_t addr, const void *bytes, size_t size, uint32_t thread, pc_t pc);
void ev_flush_turn(uint32_t thread, uint32_t place);
void ev_text(unsigned kind, uintptr_t obj, uint64_t a, uint64_t b, const char *text, pc_t pc);
void ev_data(unsigned kind, uintptr_t obj, uint64_t a, const void *bytes, size_t len, pc_t pc);
void ev_module(uintptr_t base, uint64_t size, uint64_t flags, const char *path);
void ev_module_gone(uintptr_t base);
void ev_region(uintptr_t start, uint64_t size, uint64_t kind, uint64_t thread);
void ev_note(const char *text);

/* ---- stack.c ---- */
/* ---- frame_fill.c ---- */
extern bool rt_fills_frames __attribute__((visibility("hidden")));
void frame_fill_init(void);
/* A function with this stack pointer has called its entry hook, which returns to pc. */
void frame_fill(uintptr_t sp, pc_t pc);

/* frames below it have been left without their exit hooks */
void stack_drop_below(uintptr_t sp);

/* ---- unwind.c ---- */
void unwind_init(void); /* the first walk over a stack is not the program's */
/* for a call that a library makes: where the program called the library */
pc_t rt_program_place(pc_t pc);

/* ---- cxx_throw.c ---- */
void cxx_init(void);	   /* what ends the program by std::terminate is to be seen */
void stack_announce(void); /* tell the tool the running thread's stack id, in a record */
void stack_announce_in_chunk(void);

/* ---- chunk.c: plain accesses, what the reader of them knows, canonical addresses ---- */
void chunk_init(void);
/* hooks.S finds no site at once; needed before it looks for one */
void chunk_forget_hints(void);
struct site *chunk_first_site(void); /* where every thread begins */
void chunk_flush(void);		     /* accesses noted so far become a record */
/* what is loaded there next has other sites */
void chunk_forget_sites(uintptr_t low, uintptr_t high);
/* an event has shown these bytes as they are in memory */
void known_told(uintptr_t p, size_t size);
void known_forget(uintptr_t p, size_t size); /* they have changed without an event, or ended */
uint64_t canonical_of(uint64_t address);
bool is_module_pointer(uint64_t value);
/* the same, 0 in an unknown module; its module becomes that of g.code_low */
uint64_t canonical_code(pc_t pc);
void chunk_branch(pc_t pc); /* an event EV_BRANCH */
/* in the order in which they are announced */
void canonical_add_module(uintptr_t start, uintptr_t size);
void canonical_drop_module(uintptr_t start);
void canonical_add_region(uintptr_t start, uintptr_t size);

/* ---- shadow.c: what every hooked location must contain ---- */
void shadow_init(void);
/* memory as it is now is as it should be */
void shadow_snapshot(uintptr_t start, size_t size);
void shadow_mismatch(uintptr_t addr, size_t size, pc_t pc);
bool shadow_is_module(uintptr_t addr); /* data of an instrumented module */
/* a thread-local variable of an instrumented module, of the thread with that thread pointer */
bool shadow_is_tls(uintptr_t addr, uintptr_t fs);
bool shadow_is_ours(uintptr_t addr); /* memory that only hooked code should change */
/* a fault there was a missing piece of shadow: mapped now */
bool shadow_fault(uintptr_t addr);
#define SHADOW_XOR 0x200000000000ull
#define SHADOW(p) ((uintptr_t)(p) ^ SHADOW_XOR)

/* ---- buffer.c: stores that are not in memory yet ---- */
extern uint32_t buffer_model __attribute__((visibility("hidden"))); /* enum wire_memory */
static inline bool buffer_is_on(void)
{
	return unlikely(buffer_model != MEMORY_SC);
}
void buffer_init(void);
void buffer_main_tls(uintptr_t low, uintptr_t high);
void buffer_prepare(struct thread *t); /* a new thread's buffer is empty */
/* memory becomes the view of `to` */
void buffer_switch(struct thread *from, struct thread *to);
/* For a store, before and after it; true: it is in the buffer now, otherwise it is in memory. */
void buffer_before(uintptr_t p, size_t n, bool is_late, pc_t pc);
bool buffer_store(uintptr_t p, size_t n, unsigned mode, pc_t pc);
void buffer_make_room(void); /* behind the event of a store */
void buffer_fence(unsigned mode);
void buffer_need_empty(void);
/* those to there, and what cannot stay behind */
void buffer_drain_range(uintptr_t p, size_t n);
uint32_t buffer_count(const struct thread *t);
bool buffer_may_flush(const struct thread *t, uint32_t place);
/* Because the schedule says so; whether the running thread is blocked. */
void buffer_flush_turn(struct thread *t, uint32_t place, bool is_blocked);
uintptr_t buffer_location(const struct thread *t, uint32_t place);
/* what a thread that does not run would read */
void buffer_look(const struct thread *t, uintptr_t p, size_t n, void *out);
/* all of a read comes from the running thread's buffer */
bool buffer_forwards(uintptr_t p, size_t n);
/* The running thread is about to do what needs an empty buffer. */
static inline void buffer_empty(void)
{
	if (buffer_is_on())
		buffer_need_empty();
}

/* ---- await.c: threads that spin; only if g.watches ---- */
/* Something that a thread has seen; while it awaits, one of what it awaits a change of. */
struct await_read {
	uintptr_t addr;
	/* that it gave; while the thread awaits: that it must not have to go on */
	uint64_t value;
	uint64_t last; /* what the thread saw or left there last */
	uint32_t size; /* at most 8 */
	bool varied;   /* it gave several values */
	bool is_old;   /* not read since the anchor: `last` is what it gave before */
	/* enum sync_mode: no memory, but an object that was tried; 0: memory */
	uint8_t tries;
	bool has_succeeded; /* the try */
	pc_t pc;
};
/* Whether the running thread is the only one that has ever used that memory, which is of its stack.
 */
bool await_is_private(uintptr_t addr, size_t size);
void await_prepare(struct thread *t);
void await_point(void); /* the running thread is at a hook: does it spin? */
/* it does not spin, or something that it read has changed */
bool await_goes_on(const struct thread *t);
bool await_somebody(void);
/* a thread does not go on because it only made choices (repeat.c) */
bool await_is_round(void);
void await_choice(void); /* the running thread has made one */
void await_effect(void); /* the running thread has done something that lasts */
/* `changes`: the thread has seen that there was something else before */
void await_wrote(uintptr_t addr, size_t size, bool changes, pc_t pc);
/* a store of that thread */
void await_flushed(const struct thread *t, uintptr_t addr, size_t size);
void await_read(uintptr_t addr, size_t size, pc_t pc);
void await_tried(uintptr_t addr, unsigned mode, pc_t pc); /* in vain */
void await_pass(void); /* the running thread stood before an await and goes on */
void await_tell(void); /* to an explorer */
/* The running thread has taken a lock, or given it back. */
void await_locked(uintptr_t addr, unsigned mode, bool by_try, pc_t pc);
void await_unlocked(uintptr_t addr);
void await_noticed(uintptr_t addr); /* it has found the lock taken, and tells it */
/* and found none: a request changes what the round sees */
void await_looked_for_cancel(pc_t pc);
void await_slept(void);
void await_looked(void); /* at a clock */
/* ---- rounds.c: loops that poll and are no awaits; likewise ---- */
struct wire_explore;
void rounds_begin(struct wire_explore *explore); /* an execution */
void rounds_prepare(struct thread *t);
void rounds_effect(struct thread *t); /* it has done something that lasts */
void rounds_read(uintptr_t addr, size_t size, pc_t pc);
void rounds_sync(unsigned kind, uintptr_t object, unsigned mode, uint64_t depth, pc_t pc);
/* The running thread is at a hook: has it made as many rounds as it may?  Gives what it is to
 * await. */
bool rounds_point(const struct await_read **reads, uint32_t *count);
void rounds_pass(void); /* it awaited, and goes on */
bool rounds_hold_somebody(void);
/* ---- repeat.c: threads that come back by choices only; likewise ---- */
void repeat_prepare(struct thread *t);
void repeat_forget(struct thread *t); /* it has done something that lasts */
/* another thread has written there, on its stack */
void repeat_written(struct thread *t, uintptr_t addr, size_t size);
bool repeat_at_choice(void); /* the running thread has been here in this state before */

/* ---- sched.c ---- */
void sched_init(void);
void sched_point(void); /* a hook was passed with no budget left */
/*
 * The running thread cannot go on: it waits for a change of `on`, for the end of `other` (either
 * may be NULL) or until its own clock shows `deadline`, which may be at any time: that is the
 * scheduler's choice, and part of the schedule.  The end of a timed wait counts as a hook.
 * Handlers of signals that arrive meanwhile are called before it returns.
 */
enum wait_end sched_wait(struct sync *on, struct thread *other, uint64_t deadline,
			 bool cancellable);
/* a blocked thread becomes ready; no effect on others */
void sched_wake(struct thread *t, enum wait_end how);
/*
 * The same for a descriptor that outside_sleep() has noted: it is ready when the thread is
 * chosen, or time has passed.  Its caller calls sched_attend().
 */
enum wait_end sched_wait_io(uint64_t deadline);
void sched_diverged(enum wire_divergence reason) __attribute__((noreturn));
/* of a condition variable, if it stands in it */
void sched_leave_queue(struct sync *s, struct thread *t);
void sched_attend(void);    /* what the running thread was told while others ran is done now */
void sched_ask(void);	    /* the next hook asks the scheduler, whatever its policy */
void sched_yield_now(void); /* the next sched_point changes threads if it can */
uint32_t sched_choose(uint32_t n, pc_t pc);		/* 0..n-1, recorded */
void sched_exit_thread(void) __attribute__((noreturn)); /* the running thread has ended */
void sched_add(struct thread *t);
extern struct thread *rt_threads_live[];
extern uint32_t rt_threads_live_count;

/* ---- fiber.c ---- */
void fiber_init(void);
/* Where a new thread is to run: memory of the program's, or, with address 0, so many bytes of ours.
 */
struct stack_request {
	uintptr_t address;
	size_t size, guard;
};
/* NULL: no resources */
uint32_t fiber_threads_made(void); /* of this execution, with the first */
struct thread *fiber_new(void *(*start)(void *), void *arg, const struct stack_request *stack);
/* The running thread, on a stack that the program gave it and may free, goes on with next(thread)
 * in its slot. */
void fiber_leave_stack(void (*next)(void *)) __attribute__((noreturn));
/* a stack may lie anywhere */
extern bool fiber_has_foreign_stacks __attribute__((visibility("hidden")));
void fiber_switch(struct thread *to); /* returns when the caller runs again */
void fiber_switch_told(struct thread *to, enum switch_why why); /* the same, with its event */
void fiber_run_main(struct thread *t, void (*entry)(void)) __attribute__((noreturn));
struct thread *fiber_by_handle(pthread_t handle);
/* The newest whose stack has it; NULL: none. */
struct thread *fiber_by_stack(uintptr_t p);
/* joined or detached and ended: its slot may be used again */
void fiber_release(struct thread *t);

/* ---- thread.c ---- */
/* nothing of the running thread's own is left to do */
void thread_finish(void *result) __attribute__((noreturn));
void thread_attend(void); /* the running thread goes on and needs_attention */

/* ---- thread_attr.c ---- */
#define THREAD_STACK 0x800000ull /* where the program does not say otherwise */
void thread_stack_wanted(const pthread_attr_t *attr, struct stack_request *out);

/* ---- signal.c, signal_fault.c ---- */
void signal_init(void);	       /* at the beginning of control: what the program finds */
void signal_end_control(void); /* the kernel calls the program's handlers from now on */
void signal_deliver(void);     /* what the running thread has got and does not block */
/* ---- signal_look.c ---- */
/* before each step, and steps begin behind handlers */
bool signal_looks(const struct thread *t);
/* the step is not explored with all ways to be interrupted */
void signal_might_interrupt(void);
void signal_attend(void); /* the running thread begins or takes up a step */
/* the running thread goes on waiting for the object, unless the number of handlers is still that */
void signal_waits_again(uintptr_t object, unsigned mode, uint64_t handlers);
/* the kernel blocks what the thread blocks */
void signal_mirror_mask(const struct thread *t);
/* for a signal, which only the outside can send now: where; 0: nobody does */
pc_t signal_somebody_waits(void);
/* the process ends: if in the handler of a fault, that was the reason */
void signal_fault_ends(void);

/*
 * ---- cancel.c ---- A wrapper of a function that POSIX calls a cancellation point calls
 * thread_act_on_cancel() when it has been entered, and waits with sched_wait(..., cancellable =
 * true).  After WAIT_CANCELLED it undoes what it did so far (cond_wait: takes the mutex again)
 * and calls thread_act_on_cancel() once more, which then does not return.
 */
enum { CANCEL_OFF = 1, CANCEL_ASYNC = 2, CANCEL_ASKED = 4, CANCEL_LEAVING = 8, CANCEL_FOUND = 16 };
static inline bool thread_cancel_is_due(const struct thread *t)
{
	return unlikely((t->cancel & (CANCEL_OFF | CANCEL_ASKED | CANCEL_LEAVING)) == CANCEL_ASKED);
}
void thread_leave_cancelled(pc_t pc) __attribute__((noreturn));
/* through frames and cleanup handlers to the end */
void thread_leave(void *result) __attribute__((noreturn));
/* Whether the running thread finds that it is to end, at a cancellation point: an operation of a
 * search. */
bool cancel_look(pc_t pc);
/* Whether its looks are operations: it is cancelled somewhere in the search, and may be here. */
bool cancel_is_looked_for(const struct thread *t);
static inline bool thread_finds_cancel(pc_t pc)
{
	return unlikely(g.watches || g.cur->cancel & CANCEL_ASKED) && cancel_look(pc);
}
static inline void thread_act_on_cancel(pc_t pc)
{
	if (thread_finds_cancel(pc))
		thread_leave_cancelled(pc);
}

/* ---- thread.c: pthread_join and pthread_detach behind their scheduling point ---- */
int thread_join(pthread_t handle, void **result, pc_t pc);
int thread_detach(pthread_t handle, pc_t pc);

/* ---- verifier.c: sections that others see as one step; they nest ---- */
/* sp: of the function that is one, or UINTPTR_MAX. */
void verifier_section_begin(uintptr_t sp, pc_t pc);
void verifier_section_end(pc_t pc);
/* By a jump: functions below sp end.  Whether that has ended the outermost section. */
bool verifier_sections_left(uintptr_t sp);

/* ---- thread_local.c ---- */
/* destructors of the running thread's thread_local objects */
void thread_run_exit_calls(void);
void thread_run_key_destructors(void);

/* ---- libc_wrap.c ---- */
/* by a jump or an exception out of a callback: those in frames below end */
void libc_calls_left(uintptr_t sp);

/* ---- libc_once.c ---- */
/* what routines of one-time initialisation did in frames below is lost */
void once_abandon(uintptr_t sp);

/* ---- sync.c: table of synchronisation objects ---- */

/* One reader's share of an rwlock, which several threads hold at once. */
struct hold {
	struct thread *thread;
	struct sync *lock;
	struct hold *next_of_lock, *next_of_thread;
	uint32_t depth;
};

/* A robust mutex survives its owner. */
enum robust_state {
	ROBUST_NOT,
	ROBUST_GOOD,
	ROBUST_ORPHAN, /* its owner has ended; the next one to lock it is told so */
	ROBUST_TOLD,   /* that one holds it, and has not declared its data consistent yet */
	ROBUST_LOST,   /* was unlocked in that state: nobody can lock it any more */
};

struct sync {
	uintptr_t addr;
	/* number of this object; the struct may be another one's after a wait */
	uint64_t life;
	struct sync *next;	/* in its hash chain */
	struct sync *next_held; /* in its owner's list */
	struct thread *owner;	/* who holds it alone */
	uint32_t depth;
	uint8_t mode; /* enum sync_mode; SYNC_WRLOCK for an rwlock, whoever holds it */
	/* 0: not known yet; mutex: enum mutex_type; others: see their files */
	uint8_t type;
	uint8_t robust; /* enum robust_state */
	/* mutex: unlocking it without holding it is an error, not a misuse */
	bool checks_owner;
	bool destroyed;
	struct hold *shares;	  /* rwlock: of those that read */
	uint32_t writers_waiting; /* rwlock: have asked to write in vain, */
	uint32_t writers_staying; /* and those among them that wait without a deadline */
	uint32_t value;		  /* semaphore: its value; barrier: how many threads it is for */
	uint32_t arrived;	  /* barrier: in this round */
	uint64_t round_clock;	  /* barrier: latest clock of those */
	uint64_t rounds;	  /* barrier: that are over */
	struct thread *waiters, **waiters_tail; /* condition variable: queue */
	uint32_t waiting;			/* threads blocked on it */
	uint32_t readers; /* annotated lock: how often it is held for reading */
	/* life of the stack frame that contains it, 0: not on a stack */
	uint32_t frame_serial;
};
struct sync *sync_find(uintptr_t addr);
struct sync *sync_get(uintptr_t addr, enum sync_mode mode); /* made on first sight */
/* a new object, event INIT */
struct sync *sync_init(uintptr_t addr, enum sync_mode mode, uint64_t type, pc_t pc);
/* event DESTROY; false: it is in use, which is a finding */
bool sync_destroy(struct sync *s, pc_t pc);
/* use of a destroyed object is a finding, told once */
void sync_check_life(struct sync *s, pc_t pc);
void sync_forget(uintptr_t start, size_t size, pc_t pc); /* the memory's life ends */
void sync_end_thread(pc_t pc); /* the running thread ends: what becomes of its locks */
void sync_wake_all(struct sync *s);
void sync_each(void (*use)(struct sync *s));
bool rwlock_is_to_be_had(const struct sync *s, enum sync_mode mode); /* now, by anybody */
bool rwlock_lets_writers_first(const struct sync *s);
/*
 * The running thread is about to be blocked on the object, or by the other thread: does not
 * return if it would wait for itself. `asks`: an annotated lock, for which its own code waits.
 */
void sync_check_cycle(const struct sync *s, struct thread *other, bool asks, pc_t pc);

/* Locks that one thread holds. */
void sync_take(struct sync *s, pc_t pc);       /* owner := running thread, event ACQUIRE */
void sync_take_again(struct sync *s, pc_t pc); /* by its owner, event ACQUIRE */
void sync_drop(struct sync *s, pc_t pc);       /* event RELEASE; wakes who waits */
void sync_drop_once(struct sync *s, pc_t pc);  /* the same for one of several acquisitions */
/* REQUEST, block until it is free: the object that is there then; NULL: the deadline passed
 * first, which is an event TIMEOUT. */
struct sync *sync_wait_free(struct sync *s, uint64_t deadline, pc_t pc);
/* The same, and take it; false: the deadline passed first. */
bool sync_wait_lock(struct sync *s, uint64_t deadline, pc_t pc);

/* ---- heap.c ---- */
void heap_init(void);
void heap_prepare_slot(uint32_t slot);
bool heap_is_ours(void);   /* false: the program has a malloc of its own */
bool heap_is_in_use(void); /* a session, and the heap is ours */
/* Which functions a block belongs to: it is to be released by those of the same family. */
enum heap_family { HEAP_MALLOC, HEAP_NEW, HEAP_NEW_ARRAY };
/* NULL: no memory */
void *heap_allocate(size_t size, size_t alignment, enum heap_family family, pc_t pc);
void heap_release(void *block, enum heap_family family, pc_t pc);
void heap_snapshot(void); /* what constructors allocated is as it should be */
#define HEAP_STATE_BASE 0x400000000000ull
enum heap_state { HEAP_NONE, HEAP_START, HEAP_INSIDE, HEAP_FREED_START, HEAP_FREED };
static inline bool heap_contains(uintptr_t p)
{
	return p - ARENA_HEAP < ARENA_SLOTS * ARENA_HEAP_PART;
}
static inline uint8_t heap_state(uintptr_t p)
{
	return *(const uint8_t *)(HEAP_STATE_BASE + ((p - ARENA_HEAP) >> 4));
}
/* finding if it touches freed memory; `is_plain`: it is a plain access of the program's own (or
 * is_pure) */
void heap_check_range(uintptr_t p, size_t size, bool is_write, bool is_plain, pc_t pc);
void heap_mark_sync(uintptr_t p);
/* bytes from here to the end of a live block; 0: there is none */
size_t heap_room(uintptr_t p);
uintptr_t heap_block_of_library(uintptr_t p); /* the live block around p if a library made it */
/* a block that the dynamic linker made for itself: TLS, names */
bool heap_is_of_loader(uintptr_t p);

/* ---- failure.c ---- */
enum failure_number {
#define FAILURE(number, NAME, KIND, does, sentence) FAIL_##NAME = number,
#include "wire/finding.def"
};
void failure_init(void);
/* handlers of the calling OS thread get a stack of their own */
void failure_alternate_stack(void);
/* the handler of fatal signals */
void failure_on_signal(int signal, siginfo_t *info, void *context);
/* event; the run goes on */
void rt_finding(unsigned failure, uintptr_t obj, uint64_t detail, pc_t pc);
void rt_finding_text(unsigned failure, const char *text, pc_t pc);
void rt_fail(unsigned failure, uintptr_t obj, uint64_t detail, pc_t pc) __attribute__((noreturn));

/* ---- outside.c and outside_wait.c: system calls of the program; see outside.h ---- */
void outside_init(void);		      /* from here on they are caught */
void outside_end(void);			      /* control has ended */
bool outside_attach_thread(void);	      /* for each OS thread that runs code of the program */
bool outside_is_next(const struct thread *t); /* the next one is for this thread */
size_t outside_mapped(void);		      /* bytes of a file that the last mapping shows */
bool outside_replays(void);		      /* answers come from the record */
/* threads in outside_sleep */
extern uint32_t outside_sleepers __attribute__((visibility("hidden")));
/* in a recorded run */
static inline bool outside_anyone_waits(void)
{
	return unlikely(outside_sleepers) && !outside_replays();
}
void outside_look(void); /* who of them can go on? */
/* Nobody can run: sleep until a descriptor is ready or `now` would be `deadline`; whether one is.
 */
bool outside_idle(uint64_t deadline, uint64_t now);
extern volatile char outside_selector, outside_closed; /* 0: calls are let through */

/* ---- clock.c ---- */
/* Called always by what runs on the program's stack: where they are called from stays there, too.
 */
void clock_saw_write(uintptr_t addr, size_t size);
void clock_saw_read(uintptr_t addr, size_t size);
static inline bool rt_clock_on(void)
{
	return g.slow & HOT_CLOCK;
}
static inline void clock_join(struct thread *t, uint64_t other)
{
	if (other > t->clock)
		t->clock = other;
}
/* Virtual time when a clock will show a time, or a time will have passed; false: not a valid time.
 */
bool clock_deadline(int clock_id, const struct timespec *at, uint64_t *deadline);
bool clock_deadline_after(const struct timespec *duration, uint64_t *deadline);
/* As nanosleep() without a rest: 0, or -1 and errno. */
int clock_sleep(const struct timespec *request, pc_t pc);
void clock_publish(uintptr_t obj); /* release side of a synchronisation edge */
void clock_receive(uintptr_t obj); /* acquire side */

/* ---- the way into every hook and wrapper ---- */
void rt_settle(void); /* noted writes whose store has happened become events */

static inline void rt_enter(pc_t pc)
{
	g.hook_pc = pc;
	if (g.unsettled)
		rt_settle();
}

void rt_point(void); /* count a hook; perhaps another thread runs first */

/* Before rt_point(): what the step behind it uses. */
static inline void rt_next_is(const volatile void *p, size_t n, bool changes)
{
	if (likely(!g.draws_again))
		return;
	g.cur->next_addr = (uintptr_t)p;
	g.cur->next_size = n;
	g.cur->next_changes = changes;
}

/*
 * For wrappers: false means "call the real function and nothing else".  True: the hook was
 * entered, a scheduling point was passed.  rt_wrapper() is for what synchronises threads: its
 * earlier stores are visible to all.
 */
static inline bool rt_local_wrapper(pc_t pc)
{
	if (likely(!g.active) || g.internal)
		return false;
	outside_selector = outside_closed; /* left open by the runtime's own use of libc */
	rt_enter(pc);
	rt_point();
	return true;
}

static inline bool rt_wrapper(pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return false;
	buffer_empty();
	return true;
}

/* The same for calls that use nothing but the lock or semaphore that they are for. */
static inline bool rt_lock_wrapper(const volatile void *lock, pc_t pc)
{
	if (likely(!g.active) || g.internal)
		return false;
	rt_next_is(lock, 1, true);
	return rt_wrapper(pc);
}

/* Memory touched by a libc function on behalf of its caller: reads before it is called, writes
 * after it. */
void rt_libc_read(const void *p, size_t n, pc_t pc);
void rt_libc_wrote(const void *p, size_t n, pc_t pc);

#endif
