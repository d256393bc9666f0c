/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that a vectoriser or loop optimiser likes. */
#include "../case.h"

extern int lp_a[64], lp_b[64], lp_sum, lp_stop;
extern float lp_f[64];
extern unsigned char lp_bytes[64];
int lp_a[64], lp_b[64], lp_sum, lp_stop;
float lp_f[64];
unsigned char lp_bytes[64];

CASE(add, "a[i] = a[i] + b[i]")
{
	for (int i = 0; i < 32; i++)
		lp_a[i] = lp_a[i] + lp_b[i];
}

CASE(scale, "f[i] = 2 * f[i]")
{
	for (int i = 0; i < 32; i++)
		lp_f[i] = 2 * lp_f[i];
}

CASE(sum, "sum of an array in a global")
{
	for (int i = 0; i < 32; i++)
		lp_sum += lp_a[i];
}

CASE(bytes, "sum of bytes in a local")
{
	int sum = 0;
	for (int i = 0; i < 64; i++)
		sum += lp_bytes[i];
	lp_sum = sum;
}

CASE(reverse, "array reversed in place")
{
	for (int i = 0; i < 16; i++) {
		int t = lp_a[i];
		lp_a[i] = lp_a[31 - i];
		lp_a[31 - i] = t;
	}
}

CASE(constant_fill, "array filled with a constant")
{
	for (int i = 0; i < 32; i++)
		lp_a[i] = 9;
}

CASE(stride, "every third element")
{
	for (int i = 0; i < 60; i += 3)
		lp_b[i] = i;
}

CASE(search, "search with early exit")
{
	int i = 0;
	while (i < 32 && lp_a[i] != lp_stop)
		i++;
	lp_sum = i;
}

CASE(invariant, "loop-invariant global read in a loop")
{
	for (int i = 0; i < 8; i++)
		lp_a[i] = lp_stop;
}
