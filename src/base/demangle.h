/* SPDX-License-Identifier: Apache-2.0 */
/* C++ names as they are written in the source. */
#ifndef HEDDLE_DEMANGLE_H
#define HEDDLE_DEMANGLE_H

#include <stdbool.h>

/* Does a symbol look like a mangled C++ name? */
bool demangle_applies(const char *symbol);
/*
 * The readable form of a symbol, or of a type name as std::type_info has it; a copy of the
 * argument if it is not a mangled name.  The caller frees it.
 */
char *demangle(const char *name);
/* The same for the symbol of a function, without its parameters. */
char *demangle_function_name(const char *symbol);

#endif
