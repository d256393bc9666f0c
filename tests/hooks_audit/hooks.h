/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call out of the corpus means for the audit, told from the name of the function that it
 * reaches.
 *
 *   neutral     no access and no scheduling point: function entry and exit, coverage callbacks,
 *               main.c
 *   announces   a hook in front of an access; the arguments say which bytes
 *   performs    makes its accesses itself, and reports them: atomics, memory functions of the
 *               runtime
 */
#ifndef AUDIT_HOOKS_H
#define AUDIT_HOOKS_H

#include <ctype.h>

#include "image.h"

enum call_kind { CALL_NEUTRAL, CALL_ANNOUNCES, CALL_PERFORMS };

struct call_meaning {
	enum call_kind kind;
	bool reads, writes, is_late;
	uint64_t size; /* 0: the second argument tells */
};

static inline bool take_prefix(const char **name, const char *prefix)
{
	size_t len = strlen(prefix);
	if (strncmp(*name, prefix, len))
		return false;
	*name += len;
	return true;
}

/* The part of an access hook's name after "__tsan_" or "__heddle_late_"; false if it is no such
 * name. */
static inline bool hook_parse_access(const char *name, struct call_meaning *m)
{
	while (take_prefix(&name, "unaligned_") || take_prefix(&name, "volatile_"))
		;
	m->reads = take_prefix(&name, "read");
	if (m->reads)
		m->writes = take_prefix(&name, "_write");
	else
		m->writes = take_prefix(&name, "write");
	if (!m->reads && !m->writes)
		return false;
	if (!strcmp(name, "_range"))
		return true;
	m->size = isdigit((unsigned char)*name) ? strtoul(name, NULL, 10) : 0;
	return m->size > 0;
}

static inline struct call_meaning hook_meaning(const char *name)
{
	struct call_meaning m = { .kind = CALL_PERFORMS };
	const char *rest = name;
	if (take_prefix(&rest, "__sanitizer_cov_") || take_prefix(&rest, "__tsan_func_") ||
	    take_prefix(&rest, "audit_")) {
		m.kind = CALL_NEUTRAL;
	} else if (take_prefix(&rest, "__tsan_") ||
		   (m.is_late = take_prefix(&rest, "__heddle_late_"))) {
		if (hook_parse_access(rest, &m))
			m.kind = CALL_ANNOUNCES;
	}
	return m;
}

/*
 * Functions of libraries that touch no memory of the program: heap, address computation,
 * floating-point status.
 */
static inline bool hook_is_harmless_library_function(const char *name)
{
	static const char *const harmless[] = {
		"malloc", "calloc", "free", "abort", "__tls_get_addr", "__atomic_feraiseexcept"
	};
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (!strcmp(name, harmless[i]))
			return true;
	return false;
}

/* Bytes that the hook of an atomic load reads, 0 for every other function. */
static inline uint64_t hook_atomic_load_size(const char *name)
{
	char *rest;
	if (!take_prefix(&name, "__tsan_atomic"))
		return 0;
	uint64_t bits = strtoul(name, &rest, 10);
	return strcmp(rest, "_load") ? 0 : bits / 8;
}

/* Copying and filling functions: (to, from, length) and (to, byte, length). */
static inline bool hook_is_copy(const char *name)
{
	take_prefix(&name, "__tsan_");
	return !strcmp(name, "memcpy") || !strcmp(name, "memmove") || !strcmp(name, "mempcpy");
}

static inline bool hook_is_fill(const char *name)
{
	take_prefix(&name, "__tsan_");
	return !strcmp(name, "memset");
}

#endif
