/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults, which the tests of tests/run_vs_reference must detect, and preemption points
 * (WIDEN), which make interleavings between two steps likely.  Neither is in an ordinary build.
 */
#ifndef HEDDLE_RUN_FAULT_H
#define HEDDLE_RUN_FAULT_H

#ifdef HEDDLE_FAULTS
extern int run_fault;
#define FAULT(n) (run_fault == (n))
void run_widen(unsigned n);
#define WIDEN(n) run_widen(n) /* n chances */
void run_waits(void);
#define WAITS() run_waits() /* for another thread */
#else
#define FAULT(n) 0
#define WIDEN(n) ((void)0)
#define WAITS() ((void)0)
#endif

#endif
