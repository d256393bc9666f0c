/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of functions without hooks, found by the tables that compilers make for exceptions
 * (.eh_frame).  Only the form that compilers use for functions on x86-64 is understood: the frame
 * begins at a fixed distance from the stack pointer or the frame pointer.
 */
#ifndef HEDDLE_RUN_CFI_H
#define HEDDLE_RUN_CFI_H

#include <stdbool.h>
#include <stdint.h>

/* How to leave the function that a program counter lies in. */
struct cfi_rule {
	bool is_known;
	bool from_bp;	  /* the frame begins `distance` above bp, otherwise above sp */
	bool keeps_bp;	  /* bp is the caller's */
	int32_t distance; /* of the end of the frame, which is behind the return address */
	int16_t saved_bp; /* where the caller's bp is, from the end of the frame */
};

/* `header` is the module's .eh_frame_hdr. */
struct cfi_rule cfi_find(const void *header, uintptr_t pc);

#endif
