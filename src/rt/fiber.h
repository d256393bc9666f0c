/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads as places to run: stacks, slots of the arena, and the switch between two threads
 * (fiber.c, fiber.S).
 *
 * A slot has a stack, a hook stack and a part of the heap, each at a fixed address, so that the
 * n-th thread finds the same addresses in each execution.  A slot is used again once its thread
 * has ended and is joined or detached.
 */
#ifndef HEDDLE_RT_FIBER_H
#define HEDDLE_RT_FIBER_H

#include <pthread.h>

#include "rt/hook_stack.h"
#include "rt/rt.h"
#include "wire/wire.h"

struct thread;

/* Of each thread: where it continues, and the real thread behind it (donor.c). */
struct fiber_context {
	void *sp;		   /* saved stack pointer while another thread runs */
	struct program_stack left; /* saved rt_program */
	uintptr_t fs;		   /* base of its TLS */
	volatile uint32_t turn;	   /* enum turn; a futex */
	uint32_t tid;
	void *home;
};

/* Of each thread: the memory of its stack. */
struct stack_memory {
	uintptr_t low, high;
	uintptr_t guard_low; /* the program may use nothing from there to `low` */
	size_t guard_size;   /* as the program requested it */
	/* the program provided it: no guard, and not in the arena's slots */
	bool is_own;
	uintptr_t slot_top;  /* end of the free part of its slot */
	uintptr_t lowest_sp; /* of a function that it entered */
};

/* Where a new thread is to run: memory of the program, or, with address 0, so many bytes of ours.
 */
struct stack_request {
	uintptr_t address;
	size_t size, guard;
};

void fiber_init(void);
uint32_t fiber_threads_made(void); /* in this execution, with the first */
/* NULL: no resources */
struct thread *fiber_new(void *(*start)(void *), void *arg, const struct stack_request *stack);
/* The running thread, on a stack that the program provided and may free, continues with
 * next(thread) in its slot. */
void fiber_leave_stack(void (*next)(void *)) __attribute__((noreturn));
/* a stack may lie anywhere */
extern bool fiber_has_foreign_stacks __attribute__((visibility("hidden")));
void fiber_switch(struct thread *to); /* returns when the caller runs again */
void fiber_switch_told(struct thread *to, enum switch_why why); /* the same, with its event */
void fiber_run_main(struct thread *t, void (*entry)(void)) __attribute__((noreturn));
struct thread *fiber_by_handle(pthread_t handle);
/* The newest thread whose stack contains p; NULL: none. */
struct thread *fiber_by_stack(uintptr_t p);
/* joined or detached and ended: its slot may be used again */
void fiber_release(struct thread *t);

/* For executions that begin again in place (explore_snapshot.c). */
void fiber_rewind(void);	 /* stacks are cleared, donors are free again */
void fiber_pool(uint32_t count); /* donors for so many threads are made in advance */
uint32_t fiber_slots_used(void);
bool fiber_can_rewind(void);
/* as the main thread */
void fiber_go_to(void (*entry)(void *), uintptr_t stack_top) __attribute__((noreturn));

/* ---- fiber.S ---- */
/*
 * fiber_swap: save the callee-saved registers on the stack, its pointer in *save, and continue
 * where `to` was saved.  fiber_hand_over: save the same, set *other to TURN_RUN, wake the thread
 * that waits for it, and sleep until *own is set.
 */
typedef void fiber_switcher(void **save, void *to, volatile uint32_t *own,
			    volatile uint32_t *other);
fiber_switcher fiber_swap, fiber_hand_over;
/* Continue where `sp` was saved, and do not return. */
void fiber_start(void *sp) __attribute__((noreturn));
/* First activation of a stack prepared by fiber.c: calls the function in rbx with r12 as argument.
 */
void fiber_entry(void);

#endif
