/* SPDX-License-Identifier: Apache-2.0 */
/* Unions: the same bytes as different types. */
#include "../case.h"

union any {
	long l;
	double d;
	int i[2];
	unsigned char c[8];
};

union mixed {
	struct {
		int tag;
		char text[12];
	} s;
	long pair[2];
};

extern union any un_a, un_b;
extern union mixed un_m, un_n;
union any un_a = { .d = 1.5 }, un_b;
union mixed un_m, un_n;

CASE(pun, "store as double, load as long")
{
	un_a.d = 2.5;
	un_b.l = un_a.l;
}

CASE(member_array, "element of an array in a union")
{
	un_a.i[1] = un_b.i[0];
	un_a.c[3] = un_b.c[5];
}

CASE(copy_8, "copy of an 8-byte union")
{
	un_a = un_b;
}

CASE(copy_16, "copy of a 16-byte union of structs")
{
	un_m = un_n;
}
