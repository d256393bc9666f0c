/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays: indexed by constants and variables, of several dimensions, in structs, flexible members. */
#include <stdlib.h>

#include "../case.h"

struct holder {
	int count;
	short at[10];
};

struct flexible {
	size_t count;
	int at[];
};

extern int ar_a[16], ar_b[16], ar_matrix[4][5];
extern struct holder ar_holder;
extern char ar_text[16];
int ar_a[16], ar_b[16] = { 1, 2, 3 }, ar_matrix[4][5];
struct holder ar_holder;
char ar_text[16];

CASE(constant_index, "element at a constant index")
{
	ar_a[3] = ar_b[2];
}

CASE(variable_index, "element at a variable index")
{
	size_t i = audit_hide_size(5);
	ar_a[i] = ar_b[i + 1];
}

CASE(element_copy, "array copied element by element")
{
	for (size_t i = 0; i < audit_hide_size(6); i++)
		ar_a[i] = ar_b[i];
}

CASE(matrix, "element of a two-dimensional array")
{
	size_t i = audit_hide_size(2), j = audit_hide_size(3);
	ar_matrix[i][j] = ar_matrix[j][i] + 1;
}

CASE(in_struct, "element of an array inside a struct")
{
	size_t i = audit_hide_size(4);
	ar_holder.at[i] = ar_holder.at[i + 1];
	ar_holder.count++;
}

CASE(negative_index, "element before a pointer")
{
	int *p = audit_hide(ar_a + 8);
	p[-3] = p[-1];
}

CASE(moving_pointer, "copy with moving char pointers")
{
	const char *from = audit_hide(ar_b);
	for (char *to = audit_hide(ar_text); to < ar_text + 5; )
		*to++ = *from++;
}

CASE(flexible_member, "elements of a flexible array member on the heap")
{
	struct flexible *f = malloc(sizeof(*f) + 4 * sizeof(f->at[0]));
	if (!f)
		abort();
	f->count = 4;
	for (size_t i = 0; i < f->count; i++)
		f->at[i] = ar_b[i];
	ar_a[0] = f->at[3];
	free(f);
}

CASE(several_constants, "stores of constants to neighbouring elements")
{
	ar_a[0] = 1;
	ar_a[1] = 2;
	ar_a[2] = 3;
	ar_a[3] = 4;
}

CASE(bytes_to_word, "four chars combined into an int")
{
	unsigned char *p = audit_hide(ar_text);
	ar_a[0] = p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24;
}
