/* SPDX-License-Identifier: Apache-2.0 */
// A wait that is not repeated is correct unless it ends without a cause, which POSIX allows and is tried on demand only.
// OPTIONS --spurious=1
// STATUS 1
// KIND assertion
// ASSUMES spurious-wakeups:1
#define WAIT_WHILE if
#include "spurious.h"
