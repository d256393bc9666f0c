/* SPDX-License-Identifier: Apache-2.0 */
/* Increments and compound assignments: a read and a write, each with its own hook. */
#include <stdint.h>

#include "../case.h"

#define SIZE(type, name)                                                  \
	extern type cp_##name;                                            \
	type cp_##name = 5;                                               \
	CASE(increment_##name, "++ on " #type)                            \
	{                                                                 \
		cp_##name++;                                              \
	}                                                                 \
	CASE(decrement_##name, "-- on " #type)                            \
	{                                                                 \
		--cp_##name;                                              \
	}                                                                 \
	CASE(assign_##name, "compound assignments on " #type)             \
	{                                                                 \
		cp_##name += cp_amount;                                   \
		cp_##name -= cp_amount;                                   \
		cp_##name *= 3;                                           \
		cp_##name |= 8;                                           \
		cp_##name &= 127;                                         \
		cp_##name ^= 1;                                           \
		cp_##name <<= 1;                                          \
		cp_##name >>= 1;                                          \
	}

extern unsigned char cp_amount;
unsigned char cp_amount = 2;
SIZE(uint8_t, 1)
SIZE(uint16_t, 2)
SIZE(uint32_t, 4)
SIZE(uint64_t, 8)

extern double cp_double;
extern int *cp_pointer, cp_array[4];
double cp_double = 2;
int cp_array[4], *cp_pointer = cp_array;

CASE(floating, "compound assignment on double")
{
	cp_double += 1;
	cp_double /= 2;
}

CASE(pointed_to, "(*p)++ and *p++ = value")
{
	(*cp_pointer)++;
	*cp_pointer++ = 3;
	cp_pointer--;
}

CASE(element, "a[i] += value")
{
	size_t i = audit_hide_size(2);
	cp_array[i] += 4;
	cp_array[i]++;
}

CASE(same_twice, "the same variable read twice and written twice")
{
	cp_4 = cp_4 + cp_4;
	cp_4 = 1;
	cp_4 = 2;
}

CASE(conditional_store, "if (c) x = value")
{
	if (cp_amount == 2)
		cp_4 = 1;
	if (cp_amount == 3)
		cp_8 = 1;
}

CASE(conditional_value, "x = c ? y : z")
{
	cp_4 = cp_amount > 1 ? cp_2 : cp_1;
}

CASE(maximum, "if (x < y) x = y")
{
	if (cp_4 < cp_amount)
		cp_4 = cp_amount;
}
