/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a value goes in the machine code of one function.
 *
 * Every way through the function is followed, with the set of registers and places of the frame that may hold
 * the value, or what was computed from it.  It is used if it gets into an address, a condition, a store
 * outside of the frame, an argument, a result, or an instruction that is not known here to do nothing else
 * with it; or if a way is too long.
 *
 * The frame is private to its function if no address in it gets into a register, except as the argument of a
 * hook (clang tells accesses to local variables, too, without optimisation): then neither a call nor a
 * pointer can reach what lies there.  That control comes back to the function only where a call returns must
 * be true, too: programs with landing pads, setjmp() or getcontext() are left alone.  And functions are where
 * they seem to be: those with indirect jumps or jumps to others are left alone.
 *
 * A program that reads parts of its stack which it has not written could find the value there; it has no
 * meaning in C.
 */
#ifndef HEDDLE_BINARY_TAINT_H
#define HEDDLE_BINARY_TAINT_H

#include "base/map.h"
#include "binary/calls.h"

#define TAINT_SLOTS 8
#define TAINT_WRITES 4

/* A place in the frame, from the frame pointer. */
struct slot {
	int64_t at, size;
};

/* The call of a write hook: the address behind it, and the bytes that are written; 0: any number. */
struct taint_write {
	uint64_t behind;
	unsigned size;
};

/* What may come from the value, in front of one instruction. */
struct taint {
	uint64_t where;
	uint32_t registers;	/* a bit for each, by its number in the machine code */
	bool flags;
	bool is_loaded;		/* the value is there: the load of a read has been seen */
	bool is_behind;		/* so has a call behind it: other loads are of other reads */
	/* the thread may have got to the source of the value again, here or in a function that was called */
	bool may_be_older;
	unsigned slots_count, writes_count;
	struct slot slots[TAINT_SLOTS];
	struct taint_write writes[TAINT_WRITES];	/* hooks that were called since, the newest first */
};

struct taint_walk {
	const struct calls *calls;
	const struct code *code;
	uint64_t end;			/* of the function */
	/* A store of the value outside of the frame; false: it is a use.  NULL: every one is. */
	bool (*store)(void *ctx, const struct taint *t, unsigned size);
	void *ctx;
	uint64_t source;		/* with store: behind the call that gave the value */
	const struct map *leaves;	/* with store: addresses of functions that call none of the program */
	bool frame_is_private;		/* set by taint_begin() */

	/* Private. */
	VEC(struct taint) open;
	struct map seen;
	unsigned instructions;
};

/* Whether control may come to the middle of a function in ways that calls and jumps do not show. */
bool taint_has_odd_ways(const struct calls *calls);
/* Whether the function is one that is understood: with a frame pointer, left by returning only. */
bool taint_begin(struct taint_walk *w, uint64_t start);
/* Whether no way from there uses the value.  Where the frame is not private, to keep it there is a use. */
bool taint_goes_nowhere(struct taint_walk *w, const struct taint *from);
void taint_end(struct taint_walk *w);

#endif
