/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers: two parts that are loaded and stored separately. */
#include <complex.h>

#include "../case.h"

extern float _Complex cf_a, cf_b;
extern double _Complex cd_a, cd_b;
extern long double _Complex cl_a, cl_b;
float _Complex cf_a = 1, cf_b = 2;
double _Complex cd_a = 1, cd_b = 2;
long double _Complex cl_a = 1, cl_b = 2;

CASE(float_copy, "copy of float _Complex")
{
	cf_a = cf_b;
}

CASE(double_copy, "copy of double _Complex")
{
	cd_a = cd_b;
}

CASE(long_double_copy, "copy of long double _Complex")
{
	cl_a = cl_b;
}

CASE(double_multiply, "multiplication of double _Complex")
{
	cd_a = cd_a * cd_b;
}

CASE(one_part, "store to the imaginary part only")
{
	__imag__ cd_a = __real__ cd_b;
}
