/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction that gives random numbers, which no record has. */
#include <stdio.h>

static unsigned long draw(void)
{
	unsigned long number;
	__asm__ volatile("rdrand %0" : "=r"(number) : : "cc");
	return number;
}

int main(int count, char **arguments)
{
	(void)arguments;
	printf("%lu\n", count > 1 ? draw() : 0);
	return 0;
}
