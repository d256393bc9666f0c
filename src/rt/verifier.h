/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic sections of verification tasks (__VERIFIER_atomic_*): other threads see each as one step.
 * They nest; see verifier.c.
 */
#ifndef HEDDLE_RT_VERIFIER_H
#define HEDDLE_RT_VERIFIER_H

#include "rt/rt.h"

#define ATOMIC_SPS 8

/* Of each thread. */
struct atomic_sections {
	uint32_t depth; /* how many it is in */
	/* stack pointers of the outermost of them, if they are functions; UINTPTR_MAX otherwise */
	uintptr_t sp[ATOMIC_SPS];
};

/* sp: of the function that is one, or UINTPTR_MAX. */
void verifier_section_begin(uintptr_t sp, pc_t pc);
void verifier_section_end(pc_t pc);
/* By a jump: functions below sp end.  Whether that has ended the outermost section. */
bool verifier_sections_left(uintptr_t sp);

#endif
