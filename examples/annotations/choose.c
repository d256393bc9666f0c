/* SPDX-License-Identifier: Apache-2.0 */
/* A choice and an assumption: heddle check explores the values 1 and 3. */
#include <stdio.h>

#include "heddle/explore.h"

int main(void)
{
	unsigned size = 1 + heddle_choose(3);
	heddle_assume(size != 2);
	printf("%u\n", size);
	return 0;
}
