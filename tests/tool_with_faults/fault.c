/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool with deliberate faults in the explorer (explore/fault.h), of which EXPLORE_FAULT in
 * the environment names one: for those that only programs show which the interpreter of
 * tests/explore_vs_dfs cannot run.
 */
#include <stdlib.h>

extern int explore_fault;
int explore_fault;

__attribute__((constructor)) static void choose_fault(void)
{
	const char *number = getenv("EXPLORE_FAULT");
	explore_fault = number ? atoi(number) : 0;
}
