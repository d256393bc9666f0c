/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point: float and double, in registers of the vector unit; conversions. */
#include "../case.h"

extern float float_a, float_b;
extern double double_a, double_b;
float float_a = 1.5f, float_b = 2.5f;
double double_a = 1.5, double_b = 2.5;

CASE(float_copy, "load and store of float")
{
	float_a = float_b;
}

CASE(float_add, "float addition with memory operands")
{
	float_a = float_a + float_b;
}

CASE(double_copy, "load and store of double")
{
	double_a = double_b;
}

CASE(double_multiply, "double multiplication with memory operands")
{
	double_a *= double_b;
}

CASE(convert, "conversion between float and double")
{
	double_a = float_a;
	float_b = (float)double_b;
}

CASE(constant, "store of a floating constant")
{
	float_a = 0.25f;
	double_a = 0.0;
}
