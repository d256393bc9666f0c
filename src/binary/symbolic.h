/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine code with unknown inputs: which registers hold equal addresses, and which stores hit them.
 *
 * A value is a sum of unknowns with coefficients, plus a number.  The sum of unknowns is represented by one
 * 64-bit word: each unknown is a pseudo-random word, and sums, differences and multiples of words are
 * computed modulo 2^64. So linear arithmetic in any order gives equal words for equal sums, and different
 * sums collide with a probability of about 2^-64.  Everything else (loads, other instructions) makes an
 * unknown that is a hash of its inputs, so that equal computations give equal values.
 *
 * Unknowns are named by the instruction that makes them, so that executing it again gives the same state
 * and joining states can be repeated to a fixed point.
 *
 * A load gives the value stored before at the same address, or an unknown that depends on the last store
 * that may have changed it.  Assumptions, true for compiled C: a pointer that did not come from the frame
 * registers in the code seen does not point at a spill slot; calls leave spill slots alone, hooks all
 * memory of the program.
 */
#ifndef HEDDLE_BINARY_SYMBOLIC_H
#define HEDDLE_BINARY_SYMBOLIC_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

struct sym_value {
	uint64_t unknown;	/* 0: the value is the number `offset` */
	int64_t offset;
	int64_t frame;		/* how often the stack or frame pointer is in the sum */
};

#define SYM_STORES 96

struct sym_store {
	struct sym_value address;
	struct sym_value value;
	uint64_t size;
	uint64_t id;
};

struct sym_state {
	struct sym_value reg[16];
	struct sym_store stores[SYM_STORES];	/* oldest first; at most one for each range */
	unsigned store_count;
	unsigned serial;			/* unknowns that the current instruction has made */
	uint64_t where;				/* address of the current instruction */
	uint64_t memory;			/* changes when memory may have changed as a whole */
	uint64_t constant_from, constant_to;	/* addresses whose content never changes (the GOT) */
};

/* What one instruction stored. */
struct sym_effect {
	struct {
		struct sym_value address;
		uint64_t size;
	} stores[2];
	unsigned store_count;
};

enum sym_relation { SYM_DISJOINT, SYM_UNRELATED, SYM_SPILL, SYM_OVERLAP };

struct sym_instruction {
	ZydisDecodedInstruction base;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t address;
};

/* Nothing is known at this place. */
void sym_reset(struct sym_state *s, uint64_t where);
/*
 * Control comes to `where` in two states: keep in `into` what they agree on, and give the rest unknowns
 * that belong to this place.  Returns whether `into` changed; repeated joins at one place come to an end.
 */
bool sym_join(struct sym_state *into, const struct sym_state *from, uint64_t where);
/* Execute one instruction that is no call. */
void sym_step(struct sym_state *s, const struct sym_instruction *in, struct sym_effect *effect);
/* The call at `where` has returned.  is_hook: it changed no memory of the program. */
void sym_after_call(struct sym_state *s, uint64_t where, bool is_hook);

struct sym_value sym_register(const struct sym_state *s, ZydisRegister reg);

/*
 * Two ranges: SYM_OVERLAP and SYM_DISJOINT are certain; SYM_SPILL: one is in the frame, nothing known of
 * the other; SYM_UNRELATED: nothing is known.
 */
enum sym_relation sym_compare(const struct sym_value *a, uint64_t a_size, const struct sym_value *b,
			      uint64_t b_size);

#endif
