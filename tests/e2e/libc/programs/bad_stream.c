/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault deep inside libc is charged to the call in the program.
 *
 * finding: crash
 */
#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argv;
	fputc('x', argc ? NULL : stdout);
	return 0;
}
