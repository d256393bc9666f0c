/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars that are not numbers: bool, pointers, enumerations, pointers to functions. */
#include <stdbool.h>

#include "../case.h"

enum colour { RED, GREEN, BLUE };

extern bool sc_bool, sc_bool_to;
extern int sc_target, *sc_pointer, **sc_pointer_pointer;
extern enum colour sc_enum, sc_enum_to;
extern void (*sc_function)(void);
bool sc_bool = true, sc_bool_to;
int sc_target = 5, *sc_pointer = &sc_target, **sc_pointer_pointer = &sc_pointer;
enum colour sc_enum = GREEN, sc_enum_to;

OPAQUE void called(void)
{
	sc_target = 6;
}

void (*sc_function)(void) = called;

CASE(boolean, "load and store of bool")
{
	sc_bool_to = sc_bool;
}

CASE(boolean_from_int, "bool from an int")
{
	sc_bool = sc_target;
}

CASE(enumeration, "load and store of an enumeration")
{
	sc_enum_to = sc_enum;
}

CASE(pointer, "load and store of a pointer")
{
	sc_pointer = *sc_pointer_pointer;
}

CASE(through_pointer, "load and store through a pointer")
{
	*sc_pointer = **sc_pointer_pointer + 1;
}

CASE(call_pointer, "call through a global pointer to function")
{
	sc_function();
}

CASE(static_local, "static variable of a function")
{
	static int calls;
	calls = calls + sc_target;
	sc_target = calls;
}
