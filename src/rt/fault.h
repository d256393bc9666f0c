/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults of the runtime, for the tests that must catch each of them: in a build with
 * -DHEDDLE_FAULT the places marked FAULT(N) are wrong while the environment says
 * HEDDLE_RT_FAULT=N.  In any other build they cost nothing. tests/e2e/faults lists them.
 */
#ifndef HEDDLE_RT_FAULT_H
#define HEDDLE_RT_FAULT_H

#ifdef __ASSEMBLER__
/* clang-format off */
	/* Jump to `place` while fault n is on; changes flags only. */
	.macro jump_if_fault n, place
#ifdef HEDDLE_FAULT
	cmpl $\n, rt_fault_chosen(%rip)
	je \place
#endif
	.endm
/* clang-format on */
#elif defined(HEDDLE_FAULT)
#include <stdbool.h>

bool rt_fault(int n);
#define FAULT(n) rt_fault(n)
#else
#define FAULT(n) 0
#endif

#endif
