/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that heddle's OpenMP library makes, in the name of the program; see openmp.c. */
#ifndef HEDDLE_RT_OPENMP_H
#define HEDDLE_RT_OPENMP_H

#include "rt/rt.h"

bool openmp_owns_code(pc_t pc);
/* For a place in the library, on a stack that is in use: where the program called the library; the
 * place itself if the program did not (the start of a thread). */
pc_t openmp_program_place(pc_t pc);

#endif
