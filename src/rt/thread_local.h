/* SPDX-License-Identifier: Apache-2.0 */
/* Destructors at the end of a thread, of thread_local objects and of keys; see thread_local.c. */
#ifndef HEDDLE_RT_THREAD_LOCAL_H
#define HEDDLE_RT_THREAD_LOCAL_H

#include "rt/rt.h"

/* of the running thread's thread_local objects */
void thread_run_exit_calls(void);
void thread_run_key_destructors(void);

#endif
