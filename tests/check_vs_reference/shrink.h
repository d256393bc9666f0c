/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest program, by leaving out and simplifying, for which a test still says that it shows
 * the fault.
 */
#ifndef CHECK_SHRINK_H
#define CHECK_SHRINK_H

#include "prog.h"

typedef bool shows_fault_fn(const struct prog *p, void *arg);
void shrink(struct prog *p, shows_fault_fn *shows_fault, void *arg);

#endif
