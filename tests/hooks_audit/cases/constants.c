/* SPDX-License-Identifier: Apache-2.0 */
/* Constant data and string literals, which need no hook, next to what does; restrict. */
#include "../case.h"

static const int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
static const char *const names[] = { "zero", "one", "two" };
extern int cs_value, cs_array[8];
extern const char *cs_name;
extern char cs_text[8];
int cs_value = 2, cs_array[8];
const char *cs_name;
char cs_text[8];

CASE(constant_array, "element of a const array")
{
	cs_value = table[audit_hide_size(3)];
}

CASE(literal, "char of a string literal")
{
	cs_text[0] = "literal"[audit_hide_size(2)];
}

CASE(pointer_table, "pointer out of a const table")
{
	cs_name = names[audit_hide_size(1)];
	cs_text[1] = cs_name[0];
}

CASE(array_initialiser, "char array filled from a literal")
{
	char local[8] = "abcdefg";
	audit_share(local, sizeof(local));
	cs_text[2] = local[audit_hide_size(3)];
}

OPAQUE void sum_into(int *restrict to, const int *restrict from, int n)
{
	for (int i = 0; i < n; i++)
		*to += from[i];
}

CASE(restricted, "pointers with restrict")
{
	sum_into(&cs_value, cs_array, 4);
}

CASE(pointer_to_const, "writable object through a pointer to const")
{
	const int *p = audit_hide(cs_array);
	cs_value = p[2];
}
