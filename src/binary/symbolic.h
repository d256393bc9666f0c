/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbolic execution of machine code: which registers hold equal addresses, and which stores hit
 * them.
 *
 * A value is a linear combination of unknowns plus a constant.  The combination is represented by
 * one 64-bit word: each unknown is a pseudo-random word, and sums, differences and multiples are
 * computed modulo 2^64. So equal combinations give equal words in whatever order they are
 * computed, and different combinations collide with a probability of about 2^-64.  Any other
 * operation (a load, another instruction) gives an unknown that is a hash of its inputs, so equal
 * computations give equal values.
 *
 * Unknowns are named by the instruction that creates them.  So executing an instruction again
 * gives the same state, and joins of states reach a fixed point.
 *
 * A load gives the value stored last at the same address, or an unknown that depends on the last
 * store that may have changed it.  Assumptions, true for compiled C:
 *   - a pointer that is not derived from the frame registers in this code does not point to a spill
 *     slot;
 *   - calls do not change spill slots;
 *   - hooks do not change any memory of the program.
 */
#ifndef HEDDLE_BINARY_SYMBOLIC_H
#define HEDDLE_BINARY_SYMBOLIC_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

struct sym_value {
	uint64_t unknown; /* 0: the value is the number `offset` */
	int64_t offset;
	int64_t frame; /* coefficient of the stack or frame pointer in the sum */
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
	struct sym_store stores[SYM_STORES]; /* oldest first; at most one for each range */
	unsigned store_count;
	unsigned serial; /* number of unknowns that the current instruction created */
	uint64_t where;	 /* address of the current instruction */
	uint64_t memory; /* changes when any memory may have changed */
	/* addresses whose content never changes (the GOT) */
	uint64_t constant_from, constant_to;
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

/* The unknown state at `where`. */
void sym_reset(struct sym_state *s, uint64_t where);
/*
 * Join two states at `where`: `into` keeps the values that both agree on, and the others become
 * the unknowns of this program point.  Returns whether `into` changed.  Repeated joins at one
 * point reach a fixed point.
 */
bool sym_join(struct sym_state *into, const struct sym_state *from, uint64_t where);
/* Execute one instruction other than a call. */
void sym_step(struct sym_state *s, const struct sym_instruction *in, struct sym_effect *effect);
/* The call at `where` has returned.  is_hook: it changed no memory of the program. */
void sym_after_call(struct sym_state *s, uint64_t where, bool is_hook);

struct sym_value sym_register(const struct sym_state *s, ZydisRegister reg);

/*
 * Relation of two ranges.  SYM_OVERLAP and SYM_DISJOINT are certain.  SYM_SPILL: one is in the
 * frame, and the other is not known to be.  SYM_UNRELATED: nothing is known.
 */
enum sym_relation sym_compare(const struct sym_value *a, uint64_t a_size, const struct sym_value *b,
			      uint64_t b_size);

#endif
