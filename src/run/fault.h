/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults, which the tests of tests/run_vs_reference must detect, and preemption points
 * (WIDEN), which make interleavings between two steps likely.  Neither is in an ordinary build.
 */
#ifndef HEDDLE_RUN_FAULT_H
#define HEDDLE_RUN_FAULT_H

#include "wire/fault.h"

#ifndef __ASSEMBLER__
#define FAULT_1 FAULT_RUN_SECTIONS_NOT_JOINED
#define FAULT_2 FAULT_RUN_LOCKS_ALWAYS_COVER
#define FAULT_3 FAULT_RUN_EVICTION_LOSES_SECTION
#define FAULT_4 FAULT_RUN_CANDIDATE_FOUND_EARLY
#define FAULT_5 FAULT_RUN_OLD_SECTIONS_IGNORED
#define FAULT_6 FAULT_RUN_READ_SECTIONS_EXCLUDE
#define FAULT_7 FAULT_RUN_UNLOCK_KEEPS_EPOCH
#define FAULT_8 FAULT_RUN_DROPPED_LOCK_KEEPS_NODE
#define FAULT_9 FAULT_RUN_STAMPS_REUSED_UNWIPED
#define FAULT_10 FAULT_RUN_JUDGES_NEW_CELL
#define FAULT_11 FAULT_RUN_EMPTY_CELL_RACE
#define FAULT_12 FAULT_RUN_WIPE_KEEPS_ACTIONS
#define FAULT_13 FAULT_RUN_WIPE_KEEPS_SECTION
#define FAULT_14 FAULT_RUN_FULL_CELL_RACE
#define FAULT_15 FAULT_RUN_VIEWED_STAMPS_WIPED
#define FAULT_16 FAULT_RUN_ATOMIC_READ_FORGOTTEN
#define FAULT_17 FAULT_RUN_COPIES_OLD_EPOCH
#define FAULT_18 FAULT_RUN_SHOWN_EPOCH_KEPT
#define FAULT_19 FAULT_RUN_ATOMIC_CELL_NARROWED
#define FAULT_21 FAULT_RUN_ODD_ATOMICS_ALONE
#define FAULT_22 FAULT_RUN_ODD_LOADS_FORGOTTEN
#define FAULT_23 FAULT_RUN_LATE_WRITES_NOT_SENT
#define FAULT_24 FAULT_RUN_CONFLICTS_NOT_RECHECKED
#define FAULT_25 FAULT_RUN_LATE_OVERFLOW_KEEPS_ACTIONS
#define FAULT_250 FAULT_RUN_NEST_NOT_FOLLOWED
#define FAULT_251 FAULT_RUN_NEST_FORGETS_OLD
#define FAULT_252 FAULT_RUN_NEST_DOES_NOT_RETURN
#define FAULT_253 FAULT_RUN_NEST_NEVER_WITHIN
#define FAULT_254 FAULT_RUN_FREE_NOT_RECHECKED
#endif

/* Places where a thread may lose time to others, so that what can happen between two steps does
 * happen there.  Only in builds for tests. */
#ifdef HEDDLE_FAULTS
void run_widen(unsigned n);
#define WIDEN(n) run_widen(n) /* n chances */
void run_waits(void);
#define WAITS() run_waits() /* for another thread */
#else
#define WIDEN(n) ((void)0)
#define WAITS() ((void)0)
#endif

#endif
