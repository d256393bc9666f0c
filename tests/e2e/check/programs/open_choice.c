// SPDX-License-Identifier: Apache-2.0
// Any int is asked for, and only some are tried.
// STATUS 4
// COMPLETE false
// INCONCLUSIVE choice
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
	if (__VERIFIER_nondet_int() == 123456)
		reach_error();
	return 0;
}
