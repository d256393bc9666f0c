/* SPDX-License-Identifier: Apache-2.0 */
/* Deliberate faults, which the comparison of tests/run with its reference must notice; none in an ordinary build. */
#ifndef HEDDLE_RUN_FAULT_H
#define HEDDLE_RUN_FAULT_H

#ifdef HEDDLE_FAULTS
extern int run_fault;
#define FAULT(n) (run_fault == (n))
#else
#define FAULT(n) 0
#endif

#endif
