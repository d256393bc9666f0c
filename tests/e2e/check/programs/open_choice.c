/* SPDX-License-Identifier: Apache-2.0 */
// Any int is asked for, and only some are tried: what leads to the error is not what is compared.
// STATUS 4
// COMPLETE false
// INCONCLUSIVE choice
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
	unsigned n = (unsigned)__VERIFIER_nondet_int();
	n ^= n >> 7;
	n *= 2654435761u;
	if ((n ^ n >> 9) == 123456)
		reach_error();
	return 0;
}
