/* SPDX-License-Identifier: Apache-2.0 */
/* long double: 80 bits that the x87 unit loads and stores as 10 bytes of a 16-byte object. */
#include "../case.h"

extern long double ld_a, ld_b;
extern double ld_d;
long double ld_a = 1, ld_b = 2;
double ld_d = 3;

CASE(copy, "load and store of long double")
{
	ld_a = ld_b;
}

CASE(add, "long double addition")
{
	ld_a = ld_a + ld_b;
}

CASE(convert, "conversion between double and long double")
{
	ld_a = ld_d;
	ld_d = (double)ld_b;
}

CASE(constant, "store of a long double constant")
{
	ld_a = 0.1L;
}
