/* SPDX-License-Identifier: Apache-2.0 */
/* Calls all cases that were linked in, and gives them what case.h promises. */
#include "case.h"

extern void (*const __start_audit_cases[])(void);
extern void (*const __stop_audit_cases[])(void);

/* The tracer recognises the call; nothing is left to do here. */
__attribute__((noinline)) void audit_share(void *at, size_t size)
{
	__asm__ volatile("" : : "r"(at), "r"(size) : "memory");
}

__attribute__((noinline)) void *audit_hide(void *p)
{
	__asm__ volatile("" : "+r"(p) : : "memory");
	return p;
}

__attribute__((noinline)) size_t audit_hide_size(size_t n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

int main(void)
{
	for (void (*const *run)(void) = __start_audit_cases; run < __stop_audit_cases; run++)
		(*run)();
	return 0;
}
