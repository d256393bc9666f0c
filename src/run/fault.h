/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults (wire/fault.h), and preemption points (WIDEN), which make interleavings between
 * two steps likely.  Neither is in an ordinary build.
 */
#ifndef HEDDLE_RUN_FAULT_H
#define HEDDLE_RUN_FAULT_H

#include "wire/fault.h"

#ifdef HEDDLE_FAULTS
void run_widen(unsigned n);
#define WIDEN(n) run_widen(n) /* n chances */
void run_waits(void);
#define WAITS() run_waits() /* for another thread */
#else
#define WIDEN(n) ((void)0)
#define WAITS() ((void)0)
#endif

#endif
