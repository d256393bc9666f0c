/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of functions that have returned, and of threads that have ended.
 *
 * A thread's live frames lie above its stack pointer.  A function that calls a hook is no leaf,
 * so it has no red zone: at a hook, in a call of libc, and while the thread waits, nothing below
 * the stack pointer is alive, whatever has moved it (a return, longjmp, an exception, the end of
 * an alloca scope).  An access there is a use of a dead frame.  Memory that a later call has
 * taken again is above the stack pointer and looks alive: a use is missed then, but nothing right
 * is reported.
 *
 * Not judged: stacks that the program gave to its threads, and the hook stack, where handlers of
 * signals run.
 */
#ifndef HEDDLE_RT_LEFT_FRAME_H
#define HEDDLE_RT_LEFT_FRAME_H

#include "rt/hook_stack.h"
#include "rt/rt.h"
#include "wire/wire.h"

#define RED_ZONE 128 /* below the stack pointer, in use all the same */
#define GIVEN_MAX 16

/* Of each thread: addresses in its own frames that it gave away. */
struct given_addresses {
	uintptr_t at[GIVEN_MAX];
	uint32_t count;
	bool is_partial; /* there were more */
};

static inline bool is_stack_address(uintptr_t p)
{
	return p - ARENA_STACKS < ARENA_ARGS - ARENA_STACKS;
}

/* The running thread was interrupted by the kernel with this stack pointer, perhaps in a leaf
 * function. */
static inline void left_frame_left_at(uintptr_t sp)
{
	rt_program = (struct program_stack){ sp - RED_ZONE, 0 };
}

/* An access to such an address: is the memory alive?  `is_plain`: as in heap_check_range. */
void left_frame_check(uintptr_t p, size_t size, bool is_write, bool is_plain, pc_t pc);

/*
 * For an explorer: the end of a frame is an operation on its memory if the thread has given away
 * an address in it, by a store elsewhere or as the argument of a thread.  That depends only on
 * what the thread itself did, as all operations of a step must, so the end and a use by another
 * thread can be tried in both orders.
 */
/* The thread wrote these bytes; if g.exploring. */
void left_frame_stored(uintptr_t addr, size_t size);
void left_frame_gave(uintptr_t value); /* the thread passed this value on */
/* The running thread, with its stack pointer at `sp`, leaves what lies below `above`. */
void left_frame_leave(uintptr_t sp, uintptr_t above, pc_t pc);

#endif
