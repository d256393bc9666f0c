/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault inside a libc function is a crash at the place of the call.
 *
 * finding: crash
 */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	(void)argv;
	printf("%zu\n", strlen((const char *)(size_t)argc));
	return 0;
}
