/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The barrier of teams that may have tasks or may be cancelled: threads execute tasks while they
 * wait.  It is linked only with programs that use one of both; others have the barrier of
 * pthreads, which is one operation.
 */
#ifndef HEDDLE_OMP_BARRIER_H
#define HEDDLE_OMP_BARRIER_H

#include <stdbool.h>

struct thread;

/* True: the region was cancelled, which only a barrier that can be cancelled notices. */
bool heddle_omp_task_barrier(struct thread *t, bool can_be_cancelled) __attribute__((weak));

#endif
