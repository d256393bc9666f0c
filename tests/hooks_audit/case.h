/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a corpus file is written.  Each file is about one way in which C touches memory and
 * consists of cases: functions without arguments, each for one construct, with a text that says
 * in plain words what it does and that doc/HOOKS.md prints.  main.c calls them all.
 *
 * Everything in a corpus file except its variables is static, so that the audit can tell which
 * code belongs to it. Variables are global: a compiler must then assume that others use them.
 */
#ifndef AUDIT_CASE_H
#define AUDIT_CASE_H

#include <stddef.h>

/* A separate function at every optimisation level, about whose callers the compiler knows nothing.
 */
#ifdef __clang__
#define OPAQUE static __attribute__((noinline))
#else
#define OPAQUE static __attribute__((noipa))
#endif

struct audit_case {
	void (*run)(void);
	const char *file, *name, *text;
};

#define CASE(case_name, case_text)                                                               \
	static void case_##case_name(void);                                                      \
	static const struct audit_case audit_case_##case_name = {                                \
		.run = case_##case_name, .file = __FILE__, .name = #case_name, .text = case_text \
	};                                                                                       \
	static const struct audit_case *const audit_entry_##case_name                            \
		__attribute__((section("audit_cases"), used)) = &audit_case_##case_name;         \
	OPAQUE void case_##case_name(void)

/*
 * From now on these bytes of the stack count as shared; it is also an escape of the pointer for
 * the compiler.
 */
void audit_share(void *at, size_t size);

/* A pointer or number of which the compiler does not know where it comes from. */
void *audit_hide(void *p);
size_t audit_hide_size(size_t n);

#endif
