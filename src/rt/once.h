/* SPDX-License-Identifier: Apache-2.0 */
/* One-time initialisation (libc_once.c, cxx_guard.c). */
#ifndef HEDDLE_RT_ONCE_H
#define HEDDLE_RT_ONCE_H

#include "rt/rt.h"

/* Initialisation routines in frames below sp were left before their end: they count as not run. */
void once_abandon(uintptr_t sp);

#endif
