/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack on which hooks and wrappers run (hook_stack.S), so that they leave nothing on the
 * program's stack.  Each thread has one, below its own stack; handlers of signals run there, too.
 * The variables here are of the running thread; fiber.c saves and restores them at each switch.
 */
#ifndef HEDDLE_RT_HOOK_STACK_H
#define HEDDLE_RT_HOOK_STACK_H

#include "rt/rt.h"

/* Where the running thread left the program's stack: stack pointer and frame pointer of the
 * caller of what runs on the hook stack, which is the program or a wrapper; 0: unknown. */
struct program_stack {
	uintptr_t sp, fp;
};
extern struct program_stack rt_program __attribute__((visibility("hidden")));

/* Registers of the program (or of a wrapper) at the hook that is being executed. */
struct hook_registers {
	uint64_t rbx, rbp, r12, r13, r14, r15;
	uintptr_t sp;
};
extern struct hook_registers rt_hook_registers __attribute__((visibility("hidden")));

extern uintptr_t rt_hook_top __attribute__((visibility("hidden")));
extern uintptr_t rt_hook_base __attribute__((visibility("hidden")));

#define HOOK_ROOM 0x40000ull   /* size of a hook stack */
#define RUNTIME_ROOM 0x3000ull /* of it, for frames of the runtime above a handler */

/* Of each thread. */
struct hook_stack {
	uintptr_t top;	/* saved rt_hook_top while another thread runs */
	uintptr_t base; /* rt_hook_base: where it begins; HOOK_ROOM bytes below belong to it */
};

static inline bool is_on_hook_stack(const struct hook_stack *s, uintptr_t p)
{
	return s->base - p - 1 < HOOK_ROOM;
}

#endif
