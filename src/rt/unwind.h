/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the frames of libraries without hooks, by their unwind tables; see unwind.c. */
#ifndef HEDDLE_RT_UNWIND_H
#define HEDDLE_RT_UNWIND_H

#include "rt/rt.h"

/* Before control: the unwinder allocates on its first walk, which must not be the program's. */
void unwind_init(void);
/* For a call that a library makes: where the program called the library. */
pc_t rt_program_place(pc_t pc);

#endif
