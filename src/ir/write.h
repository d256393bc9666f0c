/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text form of a module, which holds all of it: read.h reads it back.  doc/internals/IR.md
 * describes it.
 */
#ifndef HEDDLE_IR_WRITE_H
#define HEDDLE_IR_WRITE_H

#include "base/buf.h"
#include "ir/ir.h"

void ir_write(const struct ir_module *m, struct buf *out);

#endif
