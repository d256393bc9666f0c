/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows that the audit sees a hook that is missing in instrumented code: a function that the compiler was
 * told to leave alone, beside one that it was not.  The text of each case is exactly what the audit must
 * report.
 */
#include "../case.h"

extern int uh_value;
int uh_value;

OPAQUE __attribute__((no_sanitize("thread"))) void store_without_hook(void)
{
	uh_value = 1;
}

OPAQUE void store_with_hook(void)
{
	uh_value = 2;
}

CASE(hooked, "")
{
	store_with_hook();
}

CASE(left_alone, "missing-write")
{
	store_without_hook();
}
