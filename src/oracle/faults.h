/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults.  tests/e2e/oracle shows that the tests detect each of them.  In the product
 * FAULT is 0, and the compiler removes them.  In the build of that test, a number selects one
 * fault at a time.
 */
#ifndef HEDDLE_ORACLE_FAULTS_H
#define HEDDLE_ORACLE_FAULTS_H

#ifdef HEDDLE_FAULTS
extern int oracle_fault;
#define FAULT(n) (oracle_fault == (n))
#else
#define FAULT(n) 0
#endif

#endif
