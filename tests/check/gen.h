/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs, the same one for the same seed. */
#ifndef CHECK_GEN_H
#define CHECK_GEN_H

#include "prog.h"

/*
 * Small enough to be searched under every model, free of undefined behaviour, and with more than one possible
 * schedule.
 */
void gen_program(struct prog *p, uint64_t seed);
/* So small that every schedule can be run, most of them in less than 2,000 executions. */
void gen_small_program(struct prog *p, uint64_t seed);

#endif
