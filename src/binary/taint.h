/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward taint analysis of one value in the machine code of one function.
 *
 * All paths through the function are followed.  The state is the set of registers and frame slots
 * that may hold the value or something computed from it.  The value counts as used if it gets
 * into an address, a condition, a store outside of the frame, an argument, a result, or an
 * instruction that is not known to only compute; or if the paths are too long to be followed.
 *
 * Preconditions, each checked:
 *   - The frame is private: no address in it gets into a register, except as the argument of an
 *     access hook (without optimisation clang also instruments accesses to local variables).
 *     Then neither a call nor a pointer can reach the frame.  If it is not private, a store to
 *     the frame is a use.
 *   - Control enters the middle of the function only by the return of a call.  Programs with
 *     landing pads, setjmp() or getcontext() are not analysed (irregular.h).
 *   - The code of the function is known.  Functions with indirect jumps, or with jumps to other
 *     functions, are not analysed.
 *
 * A program that reads stack memory which it has not written could still find the value there.
 * Its behaviour is undefined in C.
 */
#ifndef HEDDLE_BINARY_TAINT_H
#define HEDDLE_BINARY_TAINT_H

#include "base/map.h"
#include "binary/calls.h"

#define TAINT_SLOTS 8
#define TAINT_WRITES 4

/* Bytes of the frame; `at` is relative to the frame pointer. */
struct slot {
	int64_t at, size;
};

/* The call of a write hook: its return address, and the size of the write; 0: any. */
struct taint_write {
	uint64_t after;
	unsigned size;
};

/* Where the value may be, before the instruction at `where`. */
struct taint {
	uint64_t where;
	uint32_t registers; /* one bit per register, by its number in the machine code */
	bool flags;
	bool is_loaded;	      /* the value exists: its load was executed */
	bool has_passed_call; /* a call followed, so later loads belong to other reads */
	/*
	 * the source may have been executed again since, here or in a callee: the value may be an
	 * older one
	 */
	bool may_be_stale;
	unsigned slots_count, writes_count;
	struct slot slots[TAINT_SLOTS];
	/* hooks called since the source, newest first */
	struct taint_write writes[TAINT_WRITES];
};

struct taint_walk {
	const struct calls *calls;
	const struct code *code;
	uint64_t end; /* of the function */
	/* Called for a store of the value outside of the frame; false: it is a use.  NULL: every
	 * store is. */
	bool (*store)(void *ctx, const struct taint *t, unsigned size);
	void *ctx;
	uint64_t source; /* with `store`: return address of the call that gave the value */
	/* with `store`: functions that call no code of the program */
	const struct map *leaves;
	bool frame_is_private; /* set by taint_begin() */

	/* Private. */
	VEC(struct taint) open;
	struct map seen;
	unsigned instructions;
};

/* Check the preconditions on the function: it has a frame pointer and only returns leave it. */
bool taint_begin(struct taint_walk *w, uint64_t start);
/* Whether no path from there uses the value. */
bool taint_is_unused(struct taint_walk *w, const struct taint *from);
void taint_end(struct taint_walk *w);

#endif
