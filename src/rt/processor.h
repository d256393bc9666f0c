/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program learns without a system call: the processor's time stamp counter, and the
 * functions that the kernel puts into every process (vDSO), which read it too (processor.c).
 */
#ifndef HEDDLE_RT_PROCESSOR_H
#define HEDDLE_RT_PROCESSOR_H

#include <stdbool.h>

struct call;

void processor_init(void); /* once, before system calls are caught */
/* From here on the counter faults in this OS thread, or can be read again. */
bool processor_catch(void); /* false: the kernel does not allow it */
void processor_release(void);
/* A fault that the processor gives no address for: true if it was such a read, and is answered. */
bool processor_fault(void *context);
/* A system call that virtual time or the model of the processor answers. */
long processor_call(const struct call *c);

#endif
