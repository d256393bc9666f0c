/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults, for the test that shows that the tests find them (tests/e2e/oracle).  In the product
 * FAULT is 0 and nothing of them is left; in the build of that test, one at a time is chosen by a number.
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
