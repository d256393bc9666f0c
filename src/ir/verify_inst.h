/* SPDX-License-Identifier: Apache-2.0 */
/* A part of ir_verify: the types of one instruction. */
#ifndef HEDDLE_IR_VERIFY_INST_H
#define HEDDLE_IR_VERIFY_INST_H

#include "ir/ir.h"

/* What is wrong with the types of an instruction whose operands exist; NULL if nothing is. */
const char *ir_inst_problem(const struct ir_module *m, const struct ir_func *f,
			    const struct ir_inst *i);

#endif
