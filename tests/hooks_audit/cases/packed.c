/* SPDX-License-Identifier: Apache-2.0 */
/* Packed structs and accesses that are not aligned. */
#include <stdint.h>

#include "../case.h"

struct __attribute__((packed)) record {
	char tag;
	short s;
	int i;
	long l;
	double d;
};

typedef int loose_int __attribute__((aligned(1)));
typedef long loose_long __attribute__((aligned(1)));

extern struct record pk_a, pk_b;
extern char pk_bytes[32];
struct record pk_a, pk_b = { 1, 2, 3, 4, 5 };
char pk_bytes[32];

CASE(packed_short, "packed short at an odd address")
{
	pk_a.s = pk_b.s;
}

CASE(packed_int, "packed int")
{
	pk_a.i = pk_b.i;
}

CASE(packed_long, "packed long")
{
	pk_a.l = pk_b.l;
}

CASE(packed_double, "packed double")
{
	pk_a.d = pk_b.d;
}

CASE(packed_increment, "increment of a packed int")
{
	pk_a.i++;
}

CASE(packed_copy, "copy of a packed struct of 23 bytes")
{
	pk_a = pk_b;
}

CASE(loose_typed, "int and long of alignment 1")
{
	*(loose_int *)(pk_bytes + 1) = *(loose_int *)(pk_bytes + 6);
	*(loose_long *)(pk_bytes + 11) = *(loose_long *)(pk_bytes + 21);
}

CASE(misaligned_pointer, "int pointer that happens not to be aligned")
{
	int *p = audit_hide(pk_bytes + 1);
	*p = 7;
}
