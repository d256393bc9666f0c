/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a function's frame nothing has written when its entry hook is called, read from the machine code in
 * front of the call: the frame reaches from the stack pointer up to the return address, and what the
 * prologue stores there (saved registers, arguments) is known.  Functions whose prologue has jumps, other
 * calls, or a stack pointer that is not at a fixed distance from the return address are left out.
 */
#ifndef HEDDLE_BINARY_FRAMES_H
#define HEDDLE_BINARY_FRAMES_H

#include "base/vec.h"
#include "binary/image.h"

/* Bytes from..to, counted from the stack pointer at the call. */
struct frame_piece {
	uint64_t pc;		/* behind the call of the entry hook */
	uint32_t from, to;
	uint32_t size;		/* of the frame: from the stack pointer to behind the return address */
};

struct frame_pieces {
	VEC(struct frame_piece) list;	/* sorted by pc, then by from */
};

/* Errors: ERR_INTERNAL. */
int frames_unwritten(const struct image *img, struct frame_pieces *out, struct err *err);

#endif
