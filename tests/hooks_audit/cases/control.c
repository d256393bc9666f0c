/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow that reads tables: switch, computed goto, arrays of functions; nested functions of gcc. */
#include "../case.h"

extern int ct_value, ct_selector;
extern void (*ct_table[3])(void);
int ct_value, ct_selector = 2;

OPAQUE void set_one(void)
{
	ct_value = 1;
}

OPAQUE void set_two(void)
{
	ct_value = 2;
}

void (*ct_table[3])(void) = { set_one, set_two, set_one };
static void (*const constant_table[3])(void) = { set_two, set_one, set_two };

CASE(switch_table, "switch with many labels (the jump table is constant)")
{
	switch (ct_selector) {
	case 0: ct_value = 10; break;
	case 1: ct_value = 7; break;
	case 2: ct_value = 3; break;
	case 3: ct_selector = 9; break;
	case 4: ct_value = 11; break;
	case 5: ct_selector = 8; break;
	case 6: ct_value = 1; break;
	default: ct_value = 0; break;
	}
}

CASE(switch_values, "switch that becomes a table of values (constant)")
{
	int r;
	switch (ct_selector) {
	case 0: r = 31; break;
	case 1: r = 7; break;
	case 2: r = 93; break;
	case 3: r = 12; break;
	case 4: r = 45; break;
	default: r = 1; break;
	}
	ct_value = r;
}

CASE(computed_goto, "goto *table[i] (the table is constant)")
{
	static const void *const labels[] = { &&first, &&second, &&third };
	goto *labels[ct_selector];
first:
	ct_value = 1;
	return;
second:
	ct_value = 2;
	return;
third:
	ct_value = 3;
}

CASE(function_table, "call through a writable table of functions")
{
	ct_table[ct_selector]();
}

CASE(constant_function_table, "call through a constant table of functions")
{
	constant_table[ct_selector]();
}

#ifndef __clang__
OPAQUE void call_back(void (*f)(int))
{
	f(4);
}

CASE(nested_function, "nested function that writes a variable of its parent (gcc only)")
{
	int local = ct_selector;
	audit_share(&local, sizeof(local));
	__extension__ void inner(int by)
	{
		local += by;
		ct_value = local;
	}
	call_back(inner);
}
#endif

OPAQUE int recursive(int n)
{
	ct_value += n;
	return n ? recursive(n - 1) + ct_value : 0;
}

CASE(recursion, "recursive function with a global")
{
	ct_selector = recursive(3) ? 2 : 1;
}

OPAQUE void tail(int n)
{
	ct_value = n;
}

CASE(tail_call, "call in tail position after a load")
{
	tail(ct_selector);
}
