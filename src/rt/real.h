/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc's own functions behind our wrappers.  real_<name> is set before main runs; before that (a constructor of a
 * library that is initialised earlier) REAL_CALL looks it up on first use.
 */
#ifndef HEDDLE_RT_REAL_H
#define HEDDLE_RT_REAL_H

#include "rt/libc_headers.h"

#define REAL(name) extern __typeof__(name) *real_##name;
#include "rt/real.def"
#include "rt/real_libc.def"
#undef REAL

void real_resolve(void);		/* all of them, once */

/* The real function, resolved if this is an early call. */
#define REAL_FN(name) (real_##name ? real_##name : (real_resolve(), real_##name))

#endif
