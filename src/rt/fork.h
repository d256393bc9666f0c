/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that the program starts; see fork.c and libc_spawn.c. */
#ifndef HEDDLE_RT_FORK_H
#define HEDDLE_RT_FORK_H

#include "rt/rt.h"

/* Say once that others run uncontrolled; end the run if the program would hear of their end. */
void fork_announce(pc_t pc);

#endif
