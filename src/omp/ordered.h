/* SPDX-License-Identifier: Apache-2.0 */
/* Ordered regions, and iterations that wait for others (depend(sink), depend(source)). */
#ifndef HEDDLE_OMP_ORDERED_H
#define HEDDLE_OMP_ORDERED_H

#include <stdint.h>

struct thread;
struct work;

/* The thread's chunk is done, and the next one may enter ordered regions. */
void heddle_omp_ordered_pass(struct thread *t);

/* State for the iterations of a nest of loops; part of preparing a construct. */
void heddle_omp_doacross_set_up(struct work *work, unsigned count, const uint64_t *counts);

#endif
