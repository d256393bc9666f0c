/* SPDX-License-Identifier: Apache-2.0 */
/* The futex system call, modelled. */
#ifndef HEDDLE_RT_FUTEX_H
#define HEDDLE_RT_FUTEX_H

#include <time.h>

#include "rt/rt.h"

/* As the C library's syscall() would return: -1 with errno, or the result. */
long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *at, uint32_t bits,
	   pc_t pc);

#endif
