/* SPDX-License-Identifier: Apache-2.0 */
// One place reads a block many times, and once more when it has been freed; with an argument, one place writes it.  No
// function is called in between, so that nothing else makes the hook look closer.
#include <stdlib.h>

int main(int argc, char **argv)
{
	volatile int *p = malloc(8 * sizeof(*p));
	int sum = 0;
	(void)argv;
	for (int i = 0; i < 8; i++)
		p[i] = i;
	for (int i = 0; i < 9; i++) {
		if (i == 8)
			free((void *)p);
		if (argc > 1)
			*p = i;
		else
			sum += *p;
	}
	return sum & 0;
}
