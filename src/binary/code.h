/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine code of a linked file: its instructions, and where its functions and their blocks begin.
 *
 * A function begins at a symbol or at the target of a call, and ends where the next one begins.  Its blocks
 * begin at targets of jumps and behind jumps.  A call does not end a block, even if it never returns: then a
 * way is seen that nobody takes.
 */
#ifndef HEDDLE_BINARY_CODE_H
#define HEDDLE_BINARY_CODE_H

#include "binary/image.h"
#include "binary/symbolic.h"

struct code {
	const ZydisDecoder *decoder;
	const unsigned char *bytes;	/* of the section */
	uint64_t start, end;		/* its addresses */
};

/* Sorted, each once. */
struct addresses {
	VEC(uint64_t) list;
};

/* The section's code; false if it has no bytes in the file. */
bool code_of_section(struct code *c, const ZydisDecoder *decoder, const struct image *img, size_t section);
/* The instruction at `at`, which ends before `end`. */
bool code_decode(const struct code *c, uint64_t at, uint64_t end, struct sym_instruction *in);
void code_functions(const struct code *c, const struct image *img, struct addresses *starts);
/* What cannot be decoded ends a block and is skipped byte by byte; false if there is such a thing. */
bool code_blocks(const struct code *c, uint64_t start, uint64_t end, struct addresses *starts);
void addresses_sort(struct addresses *a);

static inline bool code_is_direct(const struct sym_instruction *in)
{
	return in->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && in->operands[0].imm.is_relative;
}

/* Target of a direct call or jump; of one through memory at a fixed distance, the slot.  0 if neither. */
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

/* What a call or jump leads to, or whose address an instruction takes; 0: nothing. */
static inline uint64_t code_refers_to(const struct sym_instruction *in)
{
	if (code_is_call(in) || code_is_jump(in))
		return code_target(in);
	if (in->base.mnemonic == ZYDIS_MNEMONIC_LEA && in->operands[1].mem.base == ZYDIS_REGISTER_RIP)
		return in->address + in->base.length + (uint64_t)in->operands[1].mem.disp.value;
	return 0;
}

static inline bool code_goes_elsewhere(const struct sym_instruction *in)
{
	return in->base.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	       in->base.meta.category == ZYDIS_CATEGORY_RET || in->base.mnemonic == ZYDIS_MNEMONIC_UD2 ||
	       in->base.mnemonic == ZYDIS_MNEMONIC_HLT;
}

#endif
