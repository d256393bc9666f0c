/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberate faults (wire/fault.h) in programs of the tests that contain a part of the tool.  Those
 * that HEDDLE_FAULT names are on from the start; an unknown name ends the program.
 */
#ifndef HEDDLE_TESTS_FAULTS_CHOOSE_H
#define HEDDLE_TESTS_FAULTS_CHOOSE_H

#include <stdbool.h>

#include "wire/fault.h"

const char *fault_name(enum fault fault);
/* Whether that suite must detect it. */
bool fault_is_of_suite(enum fault fault, const char *suite);
bool fault_any_is_on(void);
/* Only this one is on from now; with FAULTS_COUNT none is. */
void fault_choose(enum fault fault);

#endif
