/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a function's frame that are unwritten when its entry hook is called, from the
 * machine code of the prologue.  The frame is the memory from the stack pointer up to the return
 * address.  The prologue's stores (saved registers, arguments) are subtracted.  Functions are
 * left out if their prologue has jumps, other calls, or a stack pointer at an unknown distance
 * from the return address.
 */
#ifndef HEDDLE_BINARY_FRAMES_H
#define HEDDLE_BINARY_FRAMES_H

#include "base/vec.h"
#include "binary/image.h"

/* Bytes [from, to), relative to the stack pointer at the call. */
struct frame_piece {
	uint64_t pc; /* return address of the entry hook's call */
	uint32_t from, to;
	uint32_t size; /* of the frame, including the return address */
};

struct frame_pieces {
	VEC(struct frame_piece) list; /* sorted by pc, then by from */
};

/* Errors: ERR_INTERNAL. */
int frames_unwritten(const struct image *img, struct frame_pieces *out, struct err *err);

#endif
