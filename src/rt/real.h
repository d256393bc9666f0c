/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc's own functions behind our wrappers.  real_<name> is set before main runs; before that (a
 * constructor of a library that is initialised earlier) REAL_FN looks it up on first use.
 */
#ifndef HEDDLE_RT_REAL_H
#define HEDDLE_RT_REAL_H

#include "rt/libc_headers.h"

#define REAL(name) extern __typeof__(name) *real_##name;
#include "rt/real.def"
#include "rt/real_libc.def"
#undef REAL

void rt_real_resolve(void); /* all of them, once */
/* this one, wherever it is; ends the process if nowhere */
void *rt_real_find(const char *name, void **slot);

/* The real function, found if this is an early call, or of a library that the program did not link.
 */
#define REAL_FN(name)              \
	(real_##name ? real_##name \
		     : (__typeof__(real_##name))rt_real_find(#name, (void **)&real_##name))

#endif
