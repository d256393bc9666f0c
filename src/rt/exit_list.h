/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers that run at the end of the process; see libc_exit.c. */
#ifndef HEDDLE_RT_EXIT_LIST_H
#define HEDDLE_RT_EXIT_LIST_H

#include "rt/rt.h"

/* All handlers have run: no further one is accepted. */
void exit_list_ends(pc_t pc);

#endif
