/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores of integers of every size, signed and unsigned: one hook of the size of the type for each.
 */
#include <stdint.h>

#include "../case.h"

#define SIZE(type, name)                                            \
	extern type int_##name, int_##name##_to;                    \
	type int_##name = 1, int_##name##_to;                       \
	CASE(load_store_##name, "load and store of " #type)         \
	{                                                           \
		int_##name##_to = int_##name;                       \
	}                                                           \
	CASE(constant_##name, "store of a constant " #type)         \
	{                                                           \
		int_##name = 3;                                     \
	}

SIZE(signed char, schar)
SIZE(unsigned char, uchar)
SIZE(short, short)
SIZE(unsigned short, ushort)
SIZE(int, int)
SIZE(unsigned, unsigned)
SIZE(long, long)
SIZE(unsigned long, ulong)
SIZE(long long, longlong)
__extension__ typedef __int128 wide;
SIZE(wide, int128)

CASE(widen, "conversion from char to long")
{
	int_long = int_schar;
	int_ulong = int_uchar;
}

CASE(narrow, "conversion from long to char")
{
	int_schar = (signed char)int_long;
	int_uchar = (unsigned char)int_ulong;
}

CASE(compare, "comparison of two globals")
{
	if (int_int < int_int_to)
		int_short = 1;
	else
		int_short = 2;
}

CASE(one_byte_of_word, "one byte of an int through unsigned char *")
{
	unsigned char *p = audit_hide(&int_int);
	p[2] = p[1];
}
