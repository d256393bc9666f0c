/* SPDX-License-Identifier: Apache-2.0 */
/* What wrappers elsewhere use of libc_process.c. */
#ifndef HEDDLE_RT_LIBC_PROCESS_H
#define HEDDLE_RT_LIBC_PROCESS_H

#include <sched.h>
#include <stddef.h>

/* A set of processors that the kernel gave shows all that the program may use. */
void libc_show_all_processors(size_t room, cpu_set_t *to);

#endif
