/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs, the same one for the same seed. */
#ifndef CHECK_GEN_H
#define CHECK_GEN_H

#include "prog.h"

/*
 * Small enough to be searched under every model, free of undefined behaviour, and with more than
 * one possible schedule.
 */
void gen_program(struct prog *p, uint64_t seed);
/* Likewise, with the phrases of wide.c: loops that wait, choices, streams, pipes. */
void gen_wide_program(struct prog *p, uint64_t seed);
/* Likewise, with those of mixed.c: copies, loops with choices, two pipes, ends by any thread. */
void gen_mixed_program(struct prog *p, uint64_t seed);
/* Likewise, with those of promise.c: promises, which are C++. */
void gen_promise_program(struct prog *p, uint64_t seed);
/* Likewise, with those of signal_phrases.c: signals between threads. */
void gen_signals_program(struct prog *p, uint64_t seed);
/* So small that every schedule can be run, most of them in less than 2,000 executions. */
void gen_small_program(struct prog *p, uint64_t seed);

#endif
