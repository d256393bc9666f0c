/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as C, or as C++: one source for many of them. */
#ifndef CHECK_EMIT_H
#define CHECK_EMIT_H

#include "prog.h"

/* ends each number in a list of programs, and what main writes before it is the chosen one */
#define CHOSEN ","

/* Before the first program, each program by its number, after the last. */
void emit_begin(bool as_cxx, FILE *out);
void emit_program(const struct prog *p, unsigned number, FILE *out);
void emit_end(unsigned count, FILE *out);

#endif
