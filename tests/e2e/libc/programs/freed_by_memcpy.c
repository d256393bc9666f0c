/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libc function that touches freed memory on behalf of its caller.
 *
 * finding: use-after-free
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char *p = malloc(32);
	free(p);
	memcpy(p, "too late", 9);
	puts("written");
	return 0;
}
