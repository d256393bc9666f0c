/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that hooks use: `g`, and the part of it that each thread has.
 *
 * g holds the state of the running thread while it runs.  fiber.c moves the part that belongs to
 * the thread (struct saved_accesses, and a few members of struct thread) at each switch.
 * Invariants:
 *  - g.active is 1 only between the beginning and the end of control.
 *  - g.budget is 0 while control is off, so that the fast path of a hook is never taken then.
 *  - At most one of g.quick, g.pend and g.late is in use; g.unsettled says which.
 *
 * hooks.S finds members by the offsets in hot_offsets.h, which access.c compares with this
 * struct.
 */
#ifndef HEDDLE_RT_HOT_H
#define HEDDLE_RT_HOT_H

#include "rt/rt.h"
#include "wire/accesses.h"
#include "wire/wire.h"

struct frame;
struct site;
struct thread;
struct wire_op;

/* A write whose store has not happened yet when its hook is called. */
struct pending {
	uintptr_t addr;
	pc_t pc;
	size_t size; /* 0: none */
	uint8_t flags;
	uint8_t skip; /* hooks to let pass before the store has happened (late stores) */
};

/* A write of which only the value is still unknown (hooks.S); its size is g.unsettled. */
struct quick_write {
	uintptr_t addr;
	struct site *site;
	uint8_t flags;
};

/* Of each thread: its members of g while another thread runs. */
struct saved_accesses {
	struct site *site; /* of its last access */
	struct access_thread seen;
	struct pending late;
	uint8_t branched;
	uint64_t path; /* wire/path.h */
};

struct hot {
	uint32_t active;     /* controlled execution is on */
	uint32_t no_preempt; /* counter: inside something that must not be interrupted */
	/* hooks that may pass before the scheduler is asked; 0 while inactive */
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
	/* The module of the last branch, and what to add for canonical addresses; size 0: branches
	 * are events. */
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
	struct frame *frame;  /* innermost of the running thread */
	/* stack ids announced last, in a chunk and in a record */
	uint32_t chunk_stack_id, stack_id;
	struct thread *cur;	      /* the running thread */
	uint32_t internal;	      /* counter: the runtime itself calls libc */
	struct wire_session *session; /* NULL: native */
	/* Exploration (explore.h). */
	bool watches;	/* each hook and each event is examined for threads that spin */
	bool exploring; /* events become operations of a list, nothing goes into the ring */
	/* operations of the running thread belong to the last step in the list */
	bool step_is_told;
	bool has_sleepers;
	/* random schedules depend on the next steps of other threads (explore_random.c) */
	bool draws_again;
	struct wire_op *op_next, *op_limit;
};
extern struct hot g __attribute__((visibility("hidden")));

#define HOT_NEW_STACK 0x100 /* the call stack may have changed since the last plain access */
/* the program has read a clock: causality of time is tracked; stays set */
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

#endif
