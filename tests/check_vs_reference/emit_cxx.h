/* SPDX-License-Identifier: Apache-2.0 */
/* What is different if programs are emitted as C++. */
#ifndef CHECK_EMIT_CXX_H
#define CHECK_EMIT_CXX_H

#include "emit.h"

extern const char emit_cxx_prelude[];
/* An instruction that has a counterpart in C++; false: it is as in C. */
bool emit_cxx_call(const struct insn *in, FILE *out);

/* ---- emit.c ---- */
void emit_address(const struct loc *l, FILE *out);
void emit_value(const struct value *v, FILE *out);

#endif
