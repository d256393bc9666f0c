/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Struct copies of several sizes: between globals, through pointers that may overlap, from and to the heap
 * and the stack. This is where a compiler chooses between moves, string instructions and a call of memcpy.
 */
#include <stdlib.h>

#include "../case.h"

#define COPIES(size, unit)                                                            \
	struct s##size {                                                              \
		unit at[size / sizeof(unit)];                                         \
	};                                                                            \
	extern struct s##size copy_from_##size, copy_to_##size;                       \
	struct s##size copy_from_##size = { { 1 } }, copy_to_##size;                  \
	CASE(global_##size, "struct of " #size " bytes, global to global")            \
	{                                                                             \
		copy_to_##size = copy_from_##size;                                    \
	}                                                                             \
	CASE(pointer_##size, "struct of " #size " bytes, through two pointers")       \
	{                                                                             \
		struct s##size *to = audit_hide(&copy_to_##size);                     \
		struct s##size *from = audit_hide(&copy_from_##size);                 \
		*to = *from;                                                          \
	}                                                                             \
	CASE(heap_##size, "struct of " #size " bytes, to and from the heap")          \
	{                                                                             \
		struct s##size *block = malloc(sizeof(*block));                       \
		if (!block)                                                           \
			abort();                                                      \
		*block = copy_from_##size;                                            \
		copy_to_##size = *block;                                              \
		free(block);                                                          \
	}                                                                             \
	CASE(stack_##size, "struct of " #size " bytes, to and from the own stack")    \
	{                                                                             \
		struct s##size local = copy_from_##size;                              \
		audit_hide(&local);                                                   \
		copy_to_##size = local;                                               \
	}

COPIES(3, char)
COPIES(4, int)
COPIES(7, char)
COPIES(8, int)
COPIES(12, int)
COPIES(16, int)
COPIES(24, int)
COPIES(40, int)
COPIES(4096, int)

struct nest {
	struct s24 inner;
	char c;
};

extern struct nest copy_nest;
extern struct s12 copy_array[4];
extern char copy_c3_to[3];
struct nest copy_nest;
struct s12 copy_array[4];

struct three {
	char c[3];
};

extern struct three copy_three_from, copy_three_to;
struct three copy_three_from = { "ab" }, copy_three_to;

CASE(member, "struct member to a global struct")
{
	copy_to_24 = copy_nest.inner;
}

CASE(elements, "element of an array of structs to another")
{
	size_t i = audit_hide_size(1), j = audit_hide_size(3);
	copy_array[i] = copy_array[j];
}

CASE(three_bytes, "struct of 3 bytes, global to global")
{
	copy_three_to = copy_three_from;
}

CASE(onto_itself, "struct copied onto itself")
{
	struct s16 *p = audit_hide(&copy_to_16);
	copy_to_16 = *p;
}

CASE(chain, "one struct assigned to two")
{
	copy_array[0] = copy_array[1] = copy_from_12;
}

CASE(conditional, "struct chosen by a condition")
{
	size_t c = audit_hide_size(1);
	copy_to_24 = c ? copy_from_24 : copy_nest.inner;
	if (c)
		copy_to_8 = copy_from_8;
}

CASE(swap, "two structs exchanged through a local one")
{
	struct s16 *a = audit_hide(&copy_to_16), *b = audit_hide(&copy_from_16);
	struct s16 t = *a;
	*a = *b;
	*b = t;
}

CASE(loop, "structs copied in a loop with moving pointers")
{
	struct s12 *to = audit_hide(copy_array), *from = audit_hide(copy_array + 2);
	for (size_t n = audit_hide_size(2); n; n--)
		*to++ = *from++;
}

struct link {
	struct s8 *to, *from;
};

extern struct link copy_link;
struct link copy_link = { &copy_to_8, &copy_from_8 };

CASE(behind_pointers, "struct copied between places that shared pointers name")
{
	struct link *link = audit_hide(&copy_link);
	*link->to = *link->from;
}

CASE(copy_then_use, "struct copied, then a member changed")
{
	copy_to_24 = copy_from_24;
	copy_to_24.at[3] = 7;
	copy_from_24.at[1] = copy_to_24.at[3];
}

struct bytes {
	unsigned char at[4];
} __attribute__((aligned(4)));

extern struct bytes copy_bytes_from, copy_bytes_to;
struct bytes copy_bytes_from = { { 1, 2, 3, 4 } }, copy_bytes_to;

CASE(bytes, "struct of four bytes through a local one, of which one byte is used by itself")
{
	struct bytes l = copy_bytes_from;
	copy_bytes_to = l;
	copy_bytes_from.at[3] ^= l.at[0];
}
