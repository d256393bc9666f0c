/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a corpus file is written.  Each file is about one way in which C touches memory and consists of cases: functions
 * without arguments, each for one construct, with a text that doc/HOOKS.md prints.  main.c calls them all.
 *
 * Everything in a corpus file except its variables is static, so that the audit can tell which code belongs to it.
 * Variables are global: a compiler must then assume that others use them.
 */
#ifndef AUDIT_CASE_H
#define AUDIT_CASE_H

#include <stddef.h>

/* A separate function at every optimisation level, about whose callers the compiler knows nothing. */
#ifdef __clang__
#define OPAQUE static __attribute__((noinline))
#else
#define OPAQUE static __attribute__((noipa))
#endif

#define CASE(name, text)                                                                             \
	static void case_##name(void);                                                               \
	static void (*const audit_entry_##name)(void) __attribute__((section("audit_cases"), used)) = case_##name; \
	OPAQUE void case_##name(void)

/* From now on these bytes of the stack count as shared; it is also an escape of the pointer for the compiler. */
void audit_share(void *at, size_t size);

/* A pointer or number of which the compiler does not know where it comes from. */
void *audit_hide(void *p);
size_t audit_hide_size(size_t n);

#endif
