/* SPDX-License-Identifier: Apache-2.0 */
/* volatile objects of all sizes: no access may be merged or dropped. */
#include <stdint.h>

#include "../case.h"

#define SIZE(type, name)                                        \
	extern volatile type vol_##name, vol_to_##name;         \
	volatile type vol_##name = 1, vol_to_##name;            \
	CASE(copy_##name, "load and store of volatile " #type)  \
	{                                                       \
		vol_to_##name = vol_##name;                     \
		vol_to_##name = vol_##name;                     \
	}                                                       \
	CASE(increment_##name, "increment of volatile " #type)  \
	{                                                       \
		vol_##name++;                                   \
	}

SIZE(uint8_t, 1)
SIZE(uint16_t, 2)
SIZE(uint32_t, 4)
SIZE(uint64_t, 8)

struct pair {
	int a, b;
};

extern volatile double vol_double;
extern volatile struct pair vol_pair;
extern struct pair vol_plain_pair;
volatile double vol_double = 1;
volatile struct pair vol_pair;
struct pair vol_plain_pair;

CASE(floating, "volatile double")
{
	vol_double = vol_double + 1;
}

CASE(struct_member, "member of a volatile struct")
{
	vol_pair.a = vol_pair.b;
}

CASE(struct_copy, "copy of a volatile struct of 8 bytes")
{
	vol_plain_pair = vol_pair;
}

CASE(discarded, "volatile read whose value is not used")
{
	(void)vol_4;
}
