/* SPDX-License-Identifier: Apache-2.0 */
/* Control transfers that calls and jumps do not show: exception landing pads, setjmp() and
 * getcontext(). */
#ifndef HEDDLE_BINARY_IRREGULAR_H
#define HEDDLE_BINARY_IRREGULAR_H

#include "binary/calls.h"

/* Whether such a transfer may enter the middle of a function of this program. */
bool irregular_control_flow(const struct calls *calls);

#endif
