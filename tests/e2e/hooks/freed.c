// SPDX-License-Identifier: Apache-2.0
// One place reads a block many times, and once more when it has been freed; with an argument, one place writes it.
#include <stdlib.h>

static volatile int sink;

static __attribute__((noinline)) void read_it(int *p) { sink += *p; }
static __attribute__((noinline)) void write_it(int *p, int v) { *p = v; }

int main(int argc, char **argv)
{
	int *p = malloc(8 * sizeof(*p));
	(void)argv;
	for (int i = 0; i < 8; i++)
		p[i] = i;
	for (int i = 0; i < 9; i++) {
		if (i == 8)
			free(p);
		if (argc > 1)
			write_it(p, 1);
		else
			read_it(p);
	}
	return 0;
}
