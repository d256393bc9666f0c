/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that a pointer of the program's leads to, looked at without a fault.  A system call with a
 * bad pointer fails with EFAULT: what the runtime looks at on its behalf, before it is made, must
 * not make a crash of it.
 */
#ifndef HEDDLE_RT_PROBE_H
#define HEDDLE_RT_PROBE_H

#include <signal.h>

#include "rt/rt.h"

bool rt_can_read(const void *p, size_t n);
/* with its terminator; *n is its length without it */
bool rt_can_read_string(const char *s, size_t *n);
/* copy what can be read; false: nothing is copied */
bool rt_load(void *to, const void *from, size_t n);
/* The handler of faults asks: true if it was a look of ours, which continues with the answer. */
bool probe_fault(void *context);

#endif
