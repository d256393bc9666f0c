/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the functions that instrumented code calls. */
#ifndef HEDDLE_BINARY_HOOKS_H
#define HEDDLE_BINARY_HOOKS_H

#include <stddef.h>

enum hook_kind { HOOK_NONE, HOOK_READ, HOOK_WRITE, HOOK_BRANCH, HOOK_OTHER };

struct hook {
	const char *name;    /* as given */
	enum hook_kind kind; /* HOOK_NONE: not a hook at all */
	/* bytes of a read or write; 0 for a range, whose size is an argument */
	unsigned size;
	/* of a write: name of the form for a store that comes one hook later */
	const char *late;
};

struct hook hook_by_name(const char *name);

/* Names of all late forms, ended by NULL. */
extern const char *const hook_late_forms[];

#define HOOK_LATE_PREFIX "__heddle_late_"

#endif
