/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task reductions.  The compiler describes the variables of a group in an array; each thread of
 * the team gets a private copy of all of them.
 */
#ifndef HEDDLE_OMP_REDUCTION_H
#define HEDDLE_OMP_REDUCTION_H

#include <stdbool.h>
#include <stdint.h>

struct thread;
struct group;

/* Allocates the copies (shared NULL) or uses those of another thread's array. */
void heddle_omp_reductions_register(uintptr_t *data, uintptr_t *outer, const uintptr_t *shared,
				    unsigned threads);
void heddle_omp_reductions_free(uintptr_t *data);

/* The rest of a construct that was entered by heddle_omp_work_prepare(): reductions by the tasks
 * of a group around it, and memory that the threads share (either may be NULL). */
void heddle_omp_work_share(struct thread *t, bool is_first, uintptr_t *reductions, void **memory);

#endif
