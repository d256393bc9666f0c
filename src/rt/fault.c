/* SPDX-License-Identifier: Apache-2.0 */
/* See fault.h. */
#include "rt/fault.h"

#include "rt/rt.h"

#ifdef HEDDLE_FAULT
extern char **environ;

static RT_KEPT int chosen = -1;

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

bool rt_fault(int n)
{
	if (chosen < 0)
		chosen = number_in_environment();
	return chosen == n;
}
#endif
