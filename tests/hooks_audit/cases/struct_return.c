/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs returned by value into shared memory: from registers, and by the callee through a hidden pointer.
 */
#include "../case.h"

struct small {
	int a, b;
};

struct pair {
	long a, b;
};

struct floats {
	double d, e;
};

struct large {
	long at[5];
};

struct huge {
	long at[64];
};

extern struct small ret_small;
extern struct pair ret_pair;
extern struct floats ret_floats;
extern struct large ret_large, *ret_large_pointer;
extern struct huge ret_huge, *ret_huge_pointer;
extern long ret_value;
struct small ret_small;
struct pair ret_pair;
struct floats ret_floats;
struct large ret_large, *ret_large_pointer = &ret_large;
struct huge ret_huge, *ret_huge_pointer = &ret_huge;
long ret_value = 7;

OPAQUE struct small make_small(void)
{
	return (struct small){ (int)ret_value, 2 };
}

OPAQUE struct pair make_pair(void)
{
	return (struct pair){ ret_value, 2 };
}

OPAQUE struct floats make_floats(void)
{
	return (struct floats){ (double)ret_value, 2 };
}

OPAQUE struct large make_large(void)
{
	return (struct large){ { ret_value, 2, 3, 4, 5 } };
}

OPAQUE struct huge make_huge(void)
{
	return (struct huge){ { ret_value, 2, 3 } };
}

OPAQUE struct large give_global(void)
{
	return ret_large;
}

CASE(register_8, "G = f() with a struct of 8 bytes")
{
	ret_small = make_small();
}

CASE(register_16, "G = f() with a struct of 16 bytes")
{
	ret_pair = make_pair();
}

CASE(register_double, "G = f() with a struct of two doubles")
{
	ret_floats = make_floats();
}

CASE(memory_40, "G = f() with a struct of 40 bytes")
{
	ret_large = make_large();
}

CASE(memory_40_pointer, "*p = f() with a struct of 40 bytes")
{
	*ret_large_pointer = make_large();
}

CASE(memory_512, "G = f() with a struct of 512 bytes")
{
	ret_huge = make_huge();
}

CASE(memory_512_pointer, "*p = f() with a struct of 512 bytes")
{
	*ret_huge_pointer = make_huge();
}

CASE(member_of_result, "member of a returned struct")
{
	ret_value = make_large().at[2] + make_pair().b;
}

CASE(return_global, "return of a global struct of 40 bytes")
{
	struct large copy = give_global();
	ret_value = copy.at[1];
}
