/* SPDX-License-Identifier: Apache-2.0 */
// As spurious_wakeup.c, without the option: nothing is found, and what was assumed is said.
// STATUS 0
// COMPLETE true
// ASSUMES spurious-wakeups:0
#define WAIT_WHILE if
#include "spurious.h"
