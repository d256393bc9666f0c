/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of one function; for the files of the loader. */
#ifndef HEDDLE_BITCODE_BODY_H
#define HEDDLE_BITCODE_BODY_H

#include "bitcode/load.h"

struct body {
	struct loader *l;
	uint32_t number;
	struct map registers, blocks;
};

struct ir_func *body_func(const struct body *b);
uint32_t body_register(struct body *b, uint32_t type);
uint32_t body_value(struct body *b, LLVMValueRef v);
/* Begin an instruction; body_put appends an operand to it. */
struct ir_inst *body_begin(struct body *b, LLVMValueRef from, enum ir_op op, uint32_t type);
void body_put(struct body *b, uint32_t operand);
void body_operands(struct body *b, LLVMValueRef from, unsigned count);
bool body_has_vector(LLVMValueRef v);

void body_memory(struct body *b, LLVMValueRef from);
void body_rmw(struct body *b, LLVMValueRef from);
void body_path(struct body *b, LLVMValueRef from);

#endif
