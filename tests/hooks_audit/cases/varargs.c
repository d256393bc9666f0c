/* SPDX-License-Identifier: Apache-2.0 */
/* Variable arguments: shared objects as arguments, and arguments stored to shared objects. */
#include <stdarg.h>

#include "../case.h"

struct pair {
	long a, b;
};

struct large {
	long at[5];
};

extern int va_int;
extern double va_double;
extern struct pair va_pair;
extern struct large va_large;
int va_int = 3;
double va_double = 4.5;
struct pair va_pair = { 1, 2 };
struct large va_large = { { 1, 2, 3, 4, 5 } };

OPAQUE void take_ints(int count, ...)
{
	va_list ap;
	va_start(ap, count);
	for (int i = 0; i < count; i++)
		va_int = va_arg(ap, int);
	va_end(ap);
}

OPAQUE void take_doubles(int count, ...)
{
	va_list ap;
	va_start(ap, count);
	for (int i = 0; i < count; i++)
		va_double = va_arg(ap, double);
	va_end(ap);
}

OPAQUE void take_structs(int count, ...)
{
	va_list ap;
	va_start(ap, count);
	va_pair = va_arg(ap, struct pair);
	va_large = va_arg(ap, struct large);
	va_end(ap);
}

OPAQUE void take_list(va_list *ap)
{
	va_int = va_arg(*ap, int);
}

OPAQUE void pass_list(int count, ...)
{
	va_list ap;
	va_start(ap, count);
	take_list(&ap);
	va_int = va_arg(ap, int) + count;
	va_end(ap);
}

CASE(ints, "ints, also beyond the argument registers")
{
	take_ints(8, va_int, 2, 3, 4, 5, 6, 7, va_int);
}

CASE(doubles, "doubles, also beyond the argument registers")
{
	take_doubles(10, va_double, 2., 3., 4., 5., 6., 7., 8., 9., va_double);
}

CASE(structs, "structs of 16 and 40 bytes")
{
	take_structs(2, va_pair, va_large);
}

CASE(list_by_pointer, "va_list passed by pointer")
{
	pass_list(2, 5, 6);
}
