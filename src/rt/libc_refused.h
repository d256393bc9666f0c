/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a controlled run cannot go on with. */
#ifndef HEDDLE_RT_LIBC_REFUSED_H
#define HEDDLE_RT_LIBC_REFUSED_H

#include "rt/rt.h"

/* End the run with a finding that names what was called, and its caller. */
void libc_refuse(const char *what, pc_t pc) __attribute__((noreturn));
/* The same for a system call, by name and number. */
void libc_refuse_call(long number, pc_t pc) __attribute__((noreturn));

#endif
