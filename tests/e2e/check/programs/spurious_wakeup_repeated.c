/* SPDX-License-Identifier: Apache-2.0 */
// A wait in a loop is correct however often it ends without a cause.
// OPTIONS --spurious=3
// STATUS 0
// COMPLETE true
#define WAIT_WHILE while
#include "spurious.h"
