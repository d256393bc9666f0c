/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For programs that heddle explores: decisions that are to be tried in every way, and conditions
 * without which an execution is of no interest.
 *
 *   int size = 1 + (int)heddle_choose(3);         1, 2 and 3 are tried
 *   heddle_assume(size != 2);                     but not 2
 *
 * Under `heddle check` each value of a choice is explored.  Under `heddle record` the schedule
 * draws one, which is part of the trace and of witnesses; an assumption that does not hold ends
 * the run, and that is not a finding.  In a program that is started without heddle a choice is 0
 * and an assumption says nothing.  In one that is built without heddle likewise: the functions
 * are weak references, tested before each call. They need nothing but this file.
 */
#ifndef HEDDLE_EXPLORE_H
#define HEDDLE_EXPLORE_H

#if defined(__GNUC__) && defined(__ELF__)

#ifdef __cplusplus
extern "C" {
#endif

/* One of 0 to n - 1. */
__attribute__((weak)) extern unsigned heddle_choose(unsigned n);
__attribute__((weak)) extern void heddle_assume(int condition);

#ifdef __cplusplus
}
#endif

#define heddle_choose(n) (heddle_choose ? heddle_choose(n) : 0u)
#define heddle_assume(condition) (heddle_assume ? heddle_assume(!!(condition)) : (void)0)

#else

#define heddle_choose(n) ((void)(n), 0u)
#define heddle_assume(condition) ((void)(condition))

#endif

#endif
