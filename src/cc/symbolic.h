/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Straight-line machine code with unknown inputs: which registers hold equal addresses, and which stores hit them.
 *
 * A value is a sum of unknowns with coefficients, plus a number.  The sum of unknowns is represented by one 64-bit
 * word: each unknown is a pseudo-random word, and sums, differences and multiples of words are computed modulo 2^64.
 * So linear arithmetic in any order gives equal words for equal sums, and different sums collide with a probability
 * of about 2^-64.  Everything else (loads, other instructions) makes an unknown that is a hash of its inputs, so that
 * equal computations give equal values.
 *
 * A load gives the value stored before at the same address, or an unknown that depends on the last store that may
 * have changed it.  Assumptions, true for compiled C: a pointer that did not come from the frame registers in the
 * code seen does not point at a spill slot; hooks do not change the program's memory.
 */
#ifndef HEDDLE_CC_SYMBOLIC_H
#define HEDDLE_CC_SYMBOLIC_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

struct sym_value {
	uint64_t unknown;	/* 0: the value is the number `offset` */
	int64_t offset;
	int64_t frame;		/* how often the stack or frame pointer is in the sum */
};

#define SYM_STORES 32

struct sym_store {
	struct sym_value address;
	struct sym_value value;
	uint64_t size;
	uint64_t id;
};

struct sym_state {
	struct sym_value reg[16];
	struct sym_store stores[SYM_STORES];	/* the last ones, oldest first */
	unsigned store_count;
	uint64_t fresh;				/* unknowns made so far; never reused */
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

/* Forget everything: control may have come from elsewhere. */
void sym_reset(struct sym_state *s);
/* Execute one instruction that is no call. */
void sym_step(struct sym_state *s, const struct sym_instruction *in, struct sym_effect *effect);
/* A call has returned.  is_hook: it changed no memory of the program. */
void sym_after_call(struct sym_state *s, bool is_hook);

struct sym_value sym_register(const struct sym_state *s, ZydisRegister reg);

/*
 * Two ranges: SYM_OVERLAP and SYM_DISJOINT are certain; SYM_SPILL: one is in the frame, nothing known of the other;
 * SYM_UNRELATED: nothing is known.
 */
enum sym_relation sym_compare(const struct sym_value *a, uint64_t a_size, const struct sym_value *b, uint64_t b_size);

#endif
