/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that the program starts; see fork.c and libc_spawn.c. */
#ifndef HEDDLE_RT_FORK_H
#define HEDDLE_RT_FORK_H

#include "rt/rt.h"

/* Say once that others run uncontrolled. */
void fork_announce(void);

#endif
