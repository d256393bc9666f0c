/* SPDX-License-Identifier: Apache-2.0 */
/* Shared structs passed by value: in registers, and in memory by a copy into the argument area. */
#include "../case.h"

struct small {
	int a, b;
};

struct pair {
	long a, b;
};

struct floats {
	double d;
	long l;
};

struct large {
	long at[5];
};

struct huge {
	long at[64];
};

extern struct small arg_small;
extern struct pair arg_pair;
extern struct floats arg_floats;
extern struct large arg_large, *arg_large_pointer;
extern struct huge arg_huge;
extern long arg_sum;
struct small arg_small = { 1, 2 };
struct pair arg_pair = { 3, 4 };
struct floats arg_floats = { 5, 6 };
struct large arg_large = { { 1, 2, 3, 4, 5 } }, *arg_large_pointer = &arg_large;
struct huge arg_huge = { { 1, 2, 3 } };
long arg_sum;

OPAQUE void take_small(struct small s)
{
	arg_sum = s.a + s.b;
}

OPAQUE void take_pair(struct pair s)
{
	arg_sum = s.a + s.b;
}

OPAQUE void take_floats(struct floats s)
{
	arg_sum = (long)s.d + s.l;
}

OPAQUE void take_large(struct large s)
{
	arg_sum = s.at[0] + s.at[4];
}

OPAQUE void take_huge(struct huge s)
{
	arg_sum = s.at[0] + s.at[63];
}

CASE(register_8, "global struct of 8 bytes as argument")
{
	take_small(arg_small);
}

CASE(register_16, "global struct of 16 bytes as argument")
{
	take_pair(arg_pair);
}

CASE(register_mixed, "global struct of double and long as argument")
{
	take_floats(arg_floats);
}

CASE(memory_40, "global struct of 40 bytes as argument")
{
	take_large(arg_large);
}

CASE(memory_40_pointer, "struct of 40 bytes behind a pointer as argument")
{
	take_large(*arg_large_pointer);
}

CASE(memory_512, "global struct of 512 bytes as argument")
{
	take_huge(arg_huge);
}
