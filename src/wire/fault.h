/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults, which show that the tests can fail.  Each is a row of faults.def and a branch
 * of its own in the code:
 *
 *	if (FAULT(SEM_WAIT_KEEPS_VALUE))
 *		return;
 *
 * In a build for tests (-DHEDDLE_FAULTS) the branch is taken while HEDDLE_FAULT in the environment
 * has the name; several are separated by commas.  In any other build FAULT is a constant, and the
 * compiler removes the branch.
 */
#ifndef HEDDLE_WIRE_FAULT_H
#define HEDDLE_WIRE_FAULT_H

#ifdef __ASSEMBLER__
/* clang-format off */
#ifdef HEDDLE_FAULTS
	.set fault_count, 0
#define FAULT_ROW(name, part, suites, what) .set FAULT_##name, fault_count; \
	.set fault_count, fault_count + 1;
#include "wire/faults.def"
#undef FAULT_ROW
#endif

	/* Jump to `place` while the fault is on; changes flags only. */
	.macro jump_if_fault name, place
#ifdef HEDDLE_FAULTS
	cmpb $0, fault_is_on+FAULT_\name(%rip)
	jne \place
#endif
	.endm
/* clang-format on */
#else

enum fault {
#define FAULT_ROW(name, part, suites, what) FAULT_##name,
#include "wire/faults.def"
#undef FAULT_ROW
	FAULTS_COUNT
};

#ifdef HEDDLE_FAULTS
extern unsigned char fault_is_on[FAULTS_COUNT] __attribute__((visibility("hidden")));
#define FAULT(name) (fault_is_on[FAULT_##name])
#else
/* The name must be one of the table in every build. */
#define FAULT(name) (FAULT_##name < 0)
#endif

#endif
#endif
