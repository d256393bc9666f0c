/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine code of a linked file: its instructions, and where its functions and their blocks begin.
 *
 * A function begins at a symbol or at the target of a call, and ends where the next one begins.
 * Its basic blocks begin at targets of jumps and after jumps.  A call does not end a block, even
 * if it never returns: the control flow graph then has a path that is never executed.
 */
#ifndef HEDDLE_BINARY_CODE_H
#define HEDDLE_BINARY_CODE_H

#include "binary/image.h"
#include "binary/symbolic.h"

struct code {
	const ZydisDecoder *decoder;
	const unsigned char *bytes; /* of the section */
	uint64_t start, end;	    /* its addresses */
};

/* A set of addresses; addresses_sort() makes it sorted and without duplicates. */
struct addresses {
	VEC(uint64_t) list;
};

/* The section's code; false if it has no bytes in the file. */
bool code_of_section(struct code *c, const ZydisDecoder *decoder, const struct image *img,
		     size_t section);
/* Decode the instruction at `at`; false if it is invalid or reaches beyond `end`. */
bool code_decode(const struct code *c, uint64_t at, uint64_t end, struct sym_instruction *in);
void code_functions(const struct code *c, const struct image *img, struct addresses *starts);
/*
 * Starts of basic blocks.  Bytes that cannot be decoded end a block and are skipped one by one;
 * then false.
 */
bool code_blocks(const struct code *c, uint64_t start, uint64_t end, struct addresses *starts);
void addresses_sort(struct addresses *a);

static inline bool code_is_direct(const struct sym_instruction *in)
{
	return in->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       in->operands[0].imm.is_relative;
}

/* Target of a direct call or jump; of one through memory at a fixed distance, the slot.  0 if
 * neither. */
static inline uint64_t code_target(const struct sym_instruction *in)
{
	const ZydisDecodedOperand *op = &in->operands[0];
	uint64_t next = in->address + in->base.length;
	if (code_is_direct(in))
		return next + op->imm.value.u;
	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.base == ZYDIS_REGISTER_RIP)
		return next + (uint64_t)op->mem.disp.value;
	return 0;
}

static inline bool code_is_call(const struct sym_instruction *in)
{
	return in->base.meta.category == ZYDIS_CATEGORY_CALL;
}

static inline bool code_is_conditional(const struct sym_instruction *in)
{
	return in->base.meta.category == ZYDIS_CATEGORY_COND_BR;
}

static inline bool code_is_jump(const struct sym_instruction *in)
{
	return code_is_conditional(in) || in->base.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
}

/* Target of a call or jump, or the address that a RIP-relative lea takes; 0: none. */
static inline uint64_t code_refers_to(const struct sym_instruction *in)
{
	if (code_is_call(in) || code_is_jump(in))
		return code_target(in);
	if (in->base.mnemonic == ZYDIS_MNEMONIC_LEA &&
	    in->operands[1].mem.base == ZYDIS_REGISTER_RIP)
		return in->address + in->base.length + (uint64_t)in->operands[1].mem.disp.value;
	return 0;
}

/* Unconditional jumps, returns and traps: execution never continues with the next instruction. */
static inline bool code_never_falls_through(const struct sym_instruction *in)
{
	return in->base.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	       in->base.meta.category == ZYDIS_CATEGORY_RET ||
	       in->base.mnemonic == ZYDIS_MNEMONIC_UD2 || in->base.mnemonic == ZYDIS_MNEMONIC_HLT;
}

#endif
