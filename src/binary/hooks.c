/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compilers' hook names: "__tsan_", then "unaligned_" and "volatile_" or not, then "read" or
 * "write", then the size in bytes or "_range"; and the callbacks for branches.  Any other name
 * with one of the compilers' prefixes is HOOK_OTHER.
 */
#include "binary/hooks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LATE_FORMS(variant)                                                           \
	HOOK_LATE_PREFIX variant "write1", HOOK_LATE_PREFIX variant "write2",         \
		HOOK_LATE_PREFIX variant "write4", HOOK_LATE_PREFIX variant "write8", \
		HOOK_LATE_PREFIX variant "write16"

const char *const hook_late_forms[] = {
	LATE_FORMS(""),
	LATE_FORMS("volatile_"),
	LATE_FORMS("unaligned_"),
	LATE_FORMS("unaligned_volatile_"),
	HOOK_LATE_PREFIX "write_range",
	NULL,
};

static bool skip(const char **p, const char *prefix)
{
	size_t len = strlen(prefix);
	if (strncmp(*p, prefix, len))
		return false;
	*p += len;
	return true;
}

struct hook hook_by_name(const char *name)
{
	struct hook h = { .name = name };
	const char *p = name;
	if (!strcmp(p, "__sanitizer_cov_trace_pc") ||
	    !strcmp(p, "__sanitizer_cov_trace_pc_guard")) {
		h.kind = HOOK_BRANCH;
		return h;
	}
	if (skip(&p, "__sanitizer_cov_") || skip(&p, HOOK_LATE_PREFIX)) {
		h.kind = HOOK_OTHER;
		return h;
	}
	if (!skip(&p, "__tsan_"))
		return h;
	h.kind = HOOK_OTHER;
	const char *form = p;
	skip(&p, "unaligned_");
	skip(&p, "volatile_");
	bool is_read = skip(&p, "read"), is_write = !is_read && skip(&p, "write");
	char *end = NULL;
	unsigned long size = *p >= '1' && *p <= '9' ? strtoul(p, &end, 10) : 0;
	bool is_plain = (end && !*end) || !strcmp(p, "_range");
	if (!is_plain || !(is_read || is_write))
		return h;
	h.size = (unsigned)size;
	if (is_read)
		h.kind = HOOK_READ;
	for (size_t i = 0; is_write && hook_late_forms[i]; i++) {
		if (!strcmp(hook_late_forms[i] + strlen(HOOK_LATE_PREFIX), form)) {
			h.kind = HOOK_WRITE;
			h.late = hook_late_forms[i];
		}
	}
	return h;
}
