/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switching faults on by name (wire/fault.h), for builds with them: the runtime does it at its
 * start, and so do the programs of tests/.  Without libc, which the runtime must not call.
 */
#ifndef HEDDLE_WIRE_FAULT_NAMES_H
#define HEDDLE_WIRE_FAULT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/fault.h"

/* Whether `word`, which ends at a comma or with the string, is `name`. */
static inline bool fault_is_named(const char *word, const char *name)
{
	while (*name && *word == *name)
		word++, name++;
	return !*name && (!*word || *word == ',');
}

/* The fault of that name; FAULTS_COUNT if there is none. */
static inline enum fault fault_named(const char *word)
{
	static const char *const names[] = {
#define FAULT_ROW(name, part, suites, what) #name,
#include "wire/faults.def"
#undef FAULT_ROW
	};
	size_t i = 0;
	while (i < FAULTS_COUNT && !fault_is_named(word, names[i]))
		i++;
	return (enum fault)i;
}

/* Switch on all of a list of names; returns the first word that is none, or NULL. */
static inline const char *faults_switch_on(const char *list, unsigned char *is_on)
{
	while (list && *list) {
		enum fault fault = fault_named(list);
		if (fault == FAULTS_COUNT)
			return list;
		is_on[fault] = true;
		while (*list && *list++ != ',') {}
	}
	return NULL;
}

#endif
