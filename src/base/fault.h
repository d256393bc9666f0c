/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults of the explorer and of who runs executions for it, for the tests that must catch each of
 * them: with -DHEDDLE_FAULT=N the places marked FAULT(N) are wrong.  N may be a variable of the test, so that
 * one build has them all.  Without the definition they cost nothing.
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
