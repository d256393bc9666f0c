/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults in the explorer and in the code that runs its executions.  Tests switch on
 * one fault at a time and must detect it: with -DHEDDLE_FAULT=N the places marked FAULT(N) behave
 * wrongly.  N may be a variable of the test, so that one build has all faults.  Without the
 * definition they compile to nothing.
 */
#ifndef HEDDLE_FAULT_H
#define HEDDLE_FAULT_H

#ifdef HEDDLE_FAULT
extern int explore_fault;
#define FAULT(n) ((HEDDLE_FAULT) == (n))
#else
#define FAULT(n) 0
#endif

#endif
