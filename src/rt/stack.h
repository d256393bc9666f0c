/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks as the function hooks report them, and the ids under which the tool knows them.
 *
 * A thread's frames form an array that grows with calls.  Frame 0 is a sentinel.  Stack pointers
 * decrease from older to newer frames.  A chain of frames is interned and announced to the tool
 * when the first event with that stack is written; before that its id is FRAME_NEW.
 */
#ifndef HEDDLE_RT_STACK_H
#define HEDDLE_RT_STACK_H

#include "rt/rt.h"

struct frame {
	pc_t call;	 /* return address into the caller */
	uintptr_t sp;	 /* stack pointer at the entry hook; larger is older */
	uint32_t id;	 /* stack id of the chain up to here, FRAME_NEW if not interned yet */
	uint32_t serial; /* distinguishes frames that were at the same place at different times */
	pc_t entry;	 /* in the function itself */
};
#define FRAME_NEW UINT32_MAX
#define FRAMES_MAX (1u << 20)

/* Of each thread. */
struct call_stack {
	struct frame *frames;
	struct frame *innermost; /* valid while another thread runs, as are the next two */
	/* stack ids announced last, in a chunk and in a record */
	uint32_t chunk_id, id;
};

void stack_announce(void); /* write the running thread's stack id as a record */
void stack_announce_in_chunk(void);
/* frames below it have been left without their exit hooks */
void stack_drop_below(uintptr_t sp);
void stack_forget(uintptr_t low, uintptr_t high); /* call sites there are unloaded */

#endif
