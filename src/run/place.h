/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the program called a function that is wrapped.  Often its caller is a library without
 * hooks: std::thread is created, and most memory is allocated, inside libstdc++.  What a report
 * shows is the program's own call of that library; the frames between are walked (cfi.h).
 */
#ifndef HEDDLE_RUN_PLACE_H
#define HEDDLE_RUN_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "run/run.h"

struct interrupted;

/* Code with hooks: the program itself, then libraries. */
struct code_range {
	uintptr_t start, size;
};
extern struct code_range place_program;
/* heddle's OpenMP library, a part of the program without hooks; its size is 0 if there is none. */
extern struct code_range place_openmp;

void place_begin(void);			/* once, before the program runs */
void place_add_module(uintptr_t pc);	/* the module of this address has hooks */
bool place_is_in_library(uintptr_t pc); /* one that has hooks */

/* `frame` is the frame address of the wrapper that the library called. */
uintptr_t place_behind(uintptr_t pc, const uintptr_t *frame);

/*
 * The program's own code in which a thread was interrupted, as a return address; the libraries and
 * the runtime that it was in are left out.  0: not found.
 */
uintptr_t place_interrupted(const struct thr *t, const struct interrupted *at);

static inline bool place_is_in_program(uintptr_t pc)
{
	return likely(pc - place_program.start < place_program.size) &&
	       likely(pc - place_openmp.start >= place_openmp.size);
}

static inline bool place_has_hooks(uintptr_t pc)
{
	return place_is_in_program(pc) || place_is_in_library(pc);
}

static inline uintptr_t place_of(uintptr_t pc, const uintptr_t *frame)
{
	return place_is_in_program(pc) ? pc : place_behind(pc, frame);
}

/* In an exported function only. */
#define PLACE place_of(PC, __builtin_frame_address(0))

#endif
