/* SPDX-License-Identifier: Apache-2.0 */
/* Compound literals and initialisers that fill shared objects. */
#include <stdlib.h>

#include "../case.h"

struct point {
	int x, y;
};

struct node {
	struct node *next;
	int key;
	struct point at[3];
	char name[8];
};

extern struct point lit_point, *lit_heap_point;
extern struct node lit_node, *lit_list;
extern int lit_array[6], *lit_pointer, lit_value;
struct point lit_point;
struct node lit_node, *lit_list;
int lit_array[6], *lit_pointer, lit_value = 4;

CASE(constant_literal, "G = (struct point){ 1, 2 }")
{
	lit_point = (struct point){ 1, 2 };
}

CASE(variable_literal, "compound literal with a global value")
{
	lit_point = (struct point){ .x = lit_value, .y = lit_value + 1 };
}

CASE(zero_literal, "G = (struct node){ 0 }")
{
	lit_node = (struct node){ 0 };
}

CASE(heap_designated, "designated initialiser of a heap object")
{
	struct node *n = malloc(sizeof(*n));
	if (!n)
		abort();
	*n = (struct node){ .key = lit_value, .at = { [1] = { .y = 3 } }, .name = "abc" };
	n->next = lit_list;
	lit_value = n->at[1].y;
	free(n);
}

CASE(swap_literal, "literal that reads the object it replaces")
{
	lit_point = (struct point){ lit_point.y, lit_point.x };
}

CASE(array_literal, "pointer to an array literal, made shared")
{
	int *p = (int[]){ 1, 2, 3, lit_value };
	audit_share(p, 4 * sizeof(*p));
	p[1] = p[3];
	lit_value = p[1];
}
