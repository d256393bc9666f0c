/* SPDX-License-Identifier: Apache-2.0 */
/* See fault.h. */
#include "rt/fault.h"
#include "rt/rt.h"

#ifdef HEDDLE_FAULT
extern char **environ;

/* for assembler, too */
RT_KEPT int rt_fault_chosen __attribute__((visibility("hidden")));

static int number_in_environment(void)
{
	static const char name[] = "HEDDLE_RT_FAULT=";
	for (char **e = environ; e && *e; e++) {
		unsigned i = 0;
		while (name[i] && (*e)[i] == name[i])
			i++;
		if (name[i])
			continue;
		int n = 0;
		for (const char *c = *e + i; *c >= '0' && *c <= '9'; c++)
			n = 10 * n + (*c - '0');
		return n;
	}
	return 0;
}

/* Before main, and so before control begins. */
static void __attribute__((constructor)) choose_fault(void)
{
	rt_fault_chosen = number_in_environment();
}

bool rt_fault(int n)
{
	return rt_fault_chosen == n;
}
#endif
