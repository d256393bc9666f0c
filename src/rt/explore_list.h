/* SPDX-License-Identifier: Apache-2.0 */
/* The list of operations (explore_list.c), as far as the plan (explore.c) looks at it. */
#ifndef HEDDLE_RT_EXPLORE_LIST_H
#define HEDDLE_RT_EXPLORE_LIST_H

#include "rt/rt.h"

struct wire_op;

/* The operation that is being listed is made by a store buffer, not by the running thread. */
extern bool explore_buffer_acts __attribute__((visibility("hidden")));
/* The end of the list after the last await; NULL: there was none in this execution. */
extern const struct wire_op *explore_after_await __attribute__((visibility("hidden")));

#endif
