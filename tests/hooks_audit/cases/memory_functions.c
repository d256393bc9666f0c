/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy, memmove, memset and relatives with sizes that the compiler knows or does not know. */
#include <stdint.h>
#include <string.h>

#include "../case.h"

extern char mem_a[256], mem_b[256];
extern uint32_t mem_word, mem_result;
extern struct block {
	long at[9];
} mem_block;
char mem_a[256], mem_b[256] = "some text";
uint32_t mem_word = 1, mem_result;
struct block mem_block;

#define KNOWN(size)                                                             \
	CASE(known_##size, "memcpy, memmove, memset of " #size " bytes")        \
	{                                                                       \
		memcpy(mem_a, mem_b, size);                                     \
		memmove(mem_a + 1, mem_a, size);                                \
		memset(mem_b, 0, size);                                         \
	}                                                                       \
	CASE(builtin_##size, "__builtin_ forms of " #size " bytes")             \
	{                                                                       \
		__builtin_memcpy(mem_a, mem_b, size);                           \
		__builtin_memmove(mem_a + 1, mem_a, size);                      \
		__builtin_memset(mem_b, 0, size);                               \
	}

KNOWN(1)
KNOWN(4)
KNOWN(8)
KNOWN(16)
KNOWN(31)
KNOWN(200)

CASE(unknown, "memcpy, memmove, memset of a variable size")
{
	size_t n = audit_hide_size(17);
	memcpy(mem_a, mem_b, n);
	memmove(mem_a + 1, mem_a, n);
	memset(mem_b, 7, n);
}

CASE(builtin_unknown, "__builtin_ forms of a variable size")
{
	size_t n = audit_hide_size(17);
	__builtin_memcpy(mem_a, mem_b, n);
	__builtin_memset(mem_b, 7, n);
}

CASE(pun, "memcpy between a word and its bytes")
{
	uint32_t w;
	memcpy(&w, mem_a, sizeof(w));
	w++;
	memcpy(mem_b, &w, sizeof(w));
	memcpy(&mem_word, mem_b + 1, sizeof(mem_word));
}

CASE(compare, "memcmp and memchr")
{
	mem_result = memcmp(mem_a, mem_b, 5) > 0;
	mem_result += memcmp(mem_a, mem_b, audit_hide_size(9)) == 0;
	mem_result += memchr(mem_a, 'x', audit_hide_size(9)) != NULL;
}

CASE(compare_equal, "memcmp of 8 bytes for equality")
{
	mem_result = !memcmp(mem_a, mem_b, 8);
}

CASE(clear_struct, "memset of a whole struct")
{
	memset(&mem_block, 0, sizeof(mem_block));
}

CASE(loop_fill, "loop that is a memset")
{
	for (size_t i = 0; i < 64; i++)
		mem_a[i] = 0;
}

CASE(loop_copy, "loop that is a memcpy")
{
	for (size_t i = 0; i < 64; i++)
		mem_a[i] = mem_b[i];
}
