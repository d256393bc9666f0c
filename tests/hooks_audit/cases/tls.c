/* SPDX-License-Identifier: Apache-2.0 */
/* Thread-local variables: own, of another file, and through a pointer that another thread could have. */
#include "../case.h"

struct state {
	int depth;
	char name[12];
};

static _Thread_local int tls_own;
extern _Thread_local int tls_defined_elsewhere;
extern _Thread_local struct state tls_state;
extern int tls_plain;
_Thread_local int tls_here = 4;
_Thread_local struct state tls_state;
int tls_plain = 1;

CASE(own, "static _Thread_local int")
{
	tls_own += tls_plain;
	tls_plain = tls_own;
}

CASE(global, "global _Thread_local struct")
{
	tls_state.depth++;
	tls_state.name[3] = (char)tls_plain;
}

CASE(elsewhere, "extern _Thread_local int of another file")
{
	tls_defined_elsewhere = tls_plain;
	tls_plain = tls_defined_elsewhere + 1;
}

CASE(by_pointer, "thread-local variable through a pointer")
{
	int *p = audit_hide(&tls_own);
	*p = *p + 1;
}
