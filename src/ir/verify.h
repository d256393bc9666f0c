/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold in a module, so that nothing that reads one needs to check it again: every index
 * is in range, operations have operands of fitting types, blocks end in their one terminator, phis
 * name exactly the predecessors and stand first, each register is assigned once, and its
 * assignment dominates each use.
 */
#ifndef HEDDLE_IR_VERIFY_H
#define HEDDLE_IR_VERIFY_H

#include "base/err.h"
#include "ir/ir.h"

/* Errors: ERR_FORMAT, naming function, block and instruction. */
int ir_verify(const struct ir_module *m, struct err *err);

#endif
