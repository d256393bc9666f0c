/* SPDX-License-Identifier: Apache-2.0 */
/* Read the text form of a module (write.h).  The text is not trusted. */
#ifndef HEDDLE_IR_READ_H
#define HEDDLE_IR_READ_H

#include "base/err.h"
#include "ir/ir.h"

/* The module has also passed ir_verify (verify.h).  Errors, with the line or the place: ERR_FORMAT,
 * ERR_VERSION.  Release m in any case. */
int ir_read(struct ir_module *m, const char *text, size_t len, struct err *err);

#endif
