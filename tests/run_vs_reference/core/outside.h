/* SPDX-License-Identifier: Apache-2.0 */
/* The core of `heddle run` outside of a running program: what both drivers of it need. */
#ifndef TESTS_RUN_CORE_OUTSIDE_H
#define TESTS_RUN_CORE_OUTSIDE_H

#include "run/fault.h"
#include "run/guard.h"
#include "run/history.h"
#include "run/late.h"
#include "run/lock.h"
#include "run/memory.h"
#include "run/object.h"
#include "run/shadow.h"
#include "run/signals.h"
#include "run/stamp.h"
#include "run/thr.h"

/* Maps the shadow, as the start of a program does, and counts as a process with several threads. */
void core_begin(void);
/* The lock at an address that only the analysis knows. */
void core_lock(struct thr *t, uintptr_t lock, enum lock_mode mode);
void core_unlock(struct thr *t, uintptr_t lock);

#endif
