/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the thread-local variable that tls.c uses from outside. */
#include "../case.h"

extern _Thread_local int tls_defined_elsewhere;
_Thread_local int tls_defined_elsewhere = 2;

CASE(defined_here, "global _Thread_local int in its own file")
{
	tls_defined_elsewhere = 5;
}
