/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bitcode of one translation unit, as the compiler made it without optimising, into the form that
 * the program carries: optimised as the user asked, without duplicated synchronisation, with a
 * number for each access, branch and call.
 */
#ifndef HEDDLE_BITCODE_PREPARE_H
#define HEDDLE_BITCODE_PREPARE_H

#include <llvm-c/Core.h>

#include "base/err.h"

/* level: what follows -O; unit: the name of the unit.  Errors: ERR_FORMAT. */
int bitcode_prepare(LLVMModuleRef m, const char *level, const char *unit, struct err *err);

#endif
