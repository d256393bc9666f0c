/* SPDX-License-Identifier: Apache-2.0 */
/* Deliberate faults (wire/fault.h) of the runtime in a build for tests. */
#include "wire/fault.h"

#ifdef HEDDLE_FAULTS
#include "rt/rt.h"
#include "wire/fault_names.h"

extern char **environ;

RT_KEPT unsigned char fault_is_on[FAULTS_COUNT];

static const char *names_in_environment(void)
{
	static const char name[] = "HEDDLE_FAULT=";
	for (char **e = environ; e && *e; e++) {
		unsigned i = 0;
		while (name[i] && (*e)[i] == name[i])
			i++;
		if (!name[i])
			return *e + i;
	}
	return NULL;
}

/* Before main, and so before control begins. */
static void __attribute__((constructor)) choose_faults(void)
{
	if (faults_switch_on(names_in_environment(), fault_is_on))
		__builtin_trap(); /* no such fault */
}
#endif
