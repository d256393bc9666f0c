/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-fields: a store reads the neighbours in its unit and writes them back. */
#include "../case.h"

struct fields {
	unsigned a : 3;
	unsigned b : 5;
	unsigned c : 8;
	unsigned d : 16;
	int e : 7;
};

struct wide_fields {
	unsigned long a : 33;
	unsigned long b : 31;
	unsigned long c : 64;
};

/* The second field lies across two units of its type. */
struct __attribute__((packed)) crossing {
	unsigned a : 20;
	unsigned b : 25;
	unsigned c : 19;
};

struct lone {
	unsigned char before;
	unsigned f : 1;
	unsigned char after;
};

/* In C the neighbours above are one memory location; these two are not. */
struct separated {
	unsigned a : 3;
	unsigned : 0;
	unsigned b : 5;
};

extern struct fields bf;
extern struct wide_fields bf_wide;
extern struct crossing bf_cross;
extern struct lone bf_lone;
extern struct separated bf_separated;
extern unsigned bf_to;
extern unsigned long bf_long;
struct fields bf;
struct wide_fields bf_wide;
struct crossing bf_cross;
struct lone bf_lone;
struct separated bf_separated;
unsigned bf_to = 3;
unsigned long bf_long = 5;

CASE(load_3, "load of a 3-bit field")
{
	bf_to = bf.a;
}

CASE(store_3, "store to a 3-bit field")
{
	bf.a = bf_to;
}

CASE(store_5, "store of a constant to a 5-bit field")
{
	bf.b = 9;
}

CASE(store_8, "store to an 8-bit field that fills a byte")
{
	bf.c = bf_to;
}

CASE(store_16, "store to a 16-bit field that fills two bytes")
{
	bf.d = bf_to;
}

CASE(increment_7, "increment of a signed 7-bit field")
{
	bf.e++;
}

CASE(load_33, "load of a 33-bit field")
{
	bf_long = bf_wide.a;
}

CASE(store_33, "store to a 33-bit field")
{
	bf_wide.a = bf_long;
}

CASE(store_31, "store to a 31-bit field")
{
	bf_wide.b = bf_long;
}

CASE(store_64, "store to a 64-bit field")
{
	bf_wide.c = bf_long;
}

CASE(load_crossing, "load of a packed field across two units")
{
	bf_to = bf_cross.b;
}

CASE(store_crossing, "store to a packed field across two units")
{
	bf_cross.b = bf_to;
}

CASE(store_lone, "store to one bit between two chars")
{
	bf_lone.f = 1;
}

CASE(store_separated, "store to a field separated from the next by a field of width 0")
{
	bf_separated.a = 5;
}

CASE(two_neighbours, "stores to two neighbouring fields")
{
	bf.a = 1;
	bf.b = 2;
}
