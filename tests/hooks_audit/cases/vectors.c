/* SPDX-License-Identifier: Apache-2.0 */
/* Vector types of 16 and 32 bytes (the 32-byte ones are split without AVX). */
#include "../case.h"

typedef int v4si __attribute__((vector_size(16)));
typedef double v2df __attribute__((vector_size(16)));
typedef int v8si __attribute__((vector_size(32)));
typedef int v4si_loose __attribute__((vector_size(16), aligned(4)));
typedef short v4hi __attribute__((vector_size(8)));

extern v4si vec_a, vec_b;
extern v2df vec_d, vec_e;
extern v8si vec_w, vec_x;
extern v4hi vec_s, vec_t;
extern int vec_ints[16];
v4si vec_a, vec_b = { 1, 2, 3, 4 };
v2df vec_d, vec_e = { 1, 2 };
v8si vec_w, vec_x = { 1, 2, 3 };
v4hi vec_s, vec_t = { 1, 2 };
int vec_ints[16];

CASE(copy_8, "copy of an 8-byte vector")
{
	vec_s = vec_t;
}

CASE(copy_16, "copy of a 16-byte vector")
{
	vec_a = vec_b;
}

CASE(add_16, "addition of 16-byte vectors")
{
	vec_a = vec_a + vec_b;
	vec_d += vec_e;
}

CASE(element_16, "one element of a 16-byte vector")
{
	vec_a[2] = vec_b[1];
}

CASE(variable_element, "element at a variable index")
{
	vec_a[audit_hide_size(3)] = 9;
}

CASE(copy_32, "copy of a 32-byte vector")
{
	vec_w = vec_x;
}

CASE(add_32, "addition of 32-byte vectors")
{
	vec_w += vec_x;
}

CASE(unaligned_16, "16-byte vector of alignment 4")
{
	*(v4si_loose *)(vec_ints + 1) = *(v4si_loose *)(vec_ints + 7);
}
