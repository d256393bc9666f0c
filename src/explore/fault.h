/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of deliberate faults are one series for the explorer and what is below it. */
#ifndef HEDDLE_EXPLORE_FAULT_H
#define HEDDLE_EXPLORE_FAULT_H

#include "base/fault.h"

#endif
