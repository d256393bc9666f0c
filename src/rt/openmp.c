/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle's OpenMP library (src/omp) is part of the program and has no hooks.  It calls pthread
 * functions and hooks on behalf of a construct of the program, and it calls the functions that the
 * compiler makes of parallel regions and tasks.  What a reader wants to see is the line of the
 * construct.  The library, the runtime and instrumented code all have frame pointers, so the frames
 * between are a list.
 */
#include "rt/openmp.h"

#include "rt/hot.h"
#include "rt/start.h"

#define FRAMES 256
#define FRAME_SIZE_MAX (1u << 20)

/* Start and end of its code; the library defines it. */
extern const uintptr_t heddle_openmp_code[2] __attribute__((weak));

bool openmp_owns_code(pc_t pc)
{
	return heddle_openmp_code && pc >= heddle_openmp_code[0] && pc < heddle_openmp_code[1];
}

pc_t openmp_program_place(pc_t pc)
{
	const uintptr_t *frame = __builtin_frame_address(0);
	uintptr_t end = g.stack_low + g.stack_size;
	bool is_behind = false; /* the frame of the place itself */
	for (unsigned i = 0; i < FRAMES; i++) {
		uintptr_t here = (uintptr_t)frame, next = frame[0], caller = frame[1];
		is_behind |= caller == pc;
		if (is_behind && caller != pc && !openmp_owns_code(caller))
			return rt_owns_code(caller) ? pc : caller;
		/* The hook stack is below the thread's, with all of it between. */
		bool is_near = here < g.stack_low || next - here <= FRAME_SIZE_MAX;
		if (next <= here || !is_near || next % sizeof(next) ||
		    next > end - 2 * sizeof(next))
			break;
		frame = (const uintptr_t *)next;
	}
	return pc;
}
