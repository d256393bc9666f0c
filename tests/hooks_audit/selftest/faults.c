/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows that the audit can fail.  This file is compiled without instrumentation; the hooks are called by
 * hand, rightly or with one deliberate fault.  The text of each case is exactly what the audit must report,
 * in its order.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../case.h"

void __tsan_read1(void *at);
void __tsan_read4(void *at);
void __tsan_write2(void *at);
void __tsan_write4(void *at);
void __tsan_write8(void *at);
void __tsan_write_range(void *at, unsigned long size);
void __heddle_late_write4(void *at);
uint32_t __tsan_atomic32_load(const volatile uint32_t *at, int order);

extern volatile uint32_t ft_a, ft_b;
extern volatile uint64_t ft_long;
extern char ft_bytes[64];
extern _Thread_local volatile uint32_t ft_thread_local;
volatile uint32_t ft_a, ft_b;
volatile uint64_t ft_long;
char ft_bytes[64];
_Thread_local volatile uint32_t ft_thread_local;

#define AT(x) ((void *)(uintptr_t)&(x))

CASE(right, "")
{
	__tsan_read4(AT(ft_b));
	uint32_t b = ft_b;
	__tsan_write4(AT(ft_a));
	ft_a = b;
}

CASE(right_thread_local, "")
{
	__tsan_write4(AT(ft_thread_local));
	ft_thread_local = 1;
}

CASE(right_late, "")
{
	__heddle_late_write4(AT(ft_a));
	__tsan_read4(AT(ft_b));
	ft_a = ft_b;
}

CASE(right_own_stack, "")
{
	volatile uint32_t local = 1;
	local = local + 1;
}

CASE(missing_read, "missing-read")
{
	(void)ft_a;
}

CASE(missing_write, "missing-write")
{
	ft_a = 1;
}

CASE(missing_thread_local, "missing-write")
{
	ft_thread_local = 1;
}

CASE(missing_string_store, "missing-write")
{
	void *to = ft_bytes;
	size_t n = 16;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
}

CASE(missing_shared_stack, "missing-write")
{
	volatile uint32_t local = 1;
	audit_share(AT(local), sizeof(local));
	local = 2;
}

CASE(spent_hook, "missing-read")
{
	__tsan_read4(AT(ft_b));
	uint32_t b = ft_b;
	__tsan_write4(AT(ft_a));
	ft_a = b;
	(void)ft_b;
}

CASE(wrong_address, "missing-write extra-hook")
{
	__tsan_write4(AT(ft_b));
	ft_a = 1;
}

CASE(wrong_kind, "missing-write extra-hook")
{
	__tsan_read4(AT(ft_a));
	ft_a = 1;
}

CASE(hook_after_access, "missing-write extra-hook")
{
	ft_a = 1;
	__tsan_write4(AT(ft_a));
}

CASE(unreported_read, "unreported-read")
{
	__tsan_write4(AT(ft_a));
	__asm__ volatile("orl $1, %0" : "+m"(ft_a) : : "cc");
}

CASE(narrow_hook, "narrow-hook")
{
	__tsan_write2(AT(ft_a));
	ft_a = 1;
}

CASE(wide_hook, "wide-hook")
{
	__tsan_write8(AT(ft_long));
	*(volatile uint32_t *)&ft_long = 1;
}

CASE(extra_hook, "extra-hook")
{
	__tsan_write4(AT(ft_a));
}

CASE(late_read, "late-read")
{
	__tsan_read4(AT(ft_b));
	__tsan_write4(AT(ft_a));
	ft_a = ft_b;
}

CASE(late_write, "late-write")
{
	__tsan_write4(AT(ft_a));
	__tsan_read4(AT(ft_b));
	ft_a = ft_b;
}

CASE(late_write_after_call, "late-write")
{
	__tsan_write4(AT(ft_a));
	memset(ft_bytes, 0, audit_hide_size(40));
	ft_a = 1;
}

CASE(very_late, "very-late")
{
	__tsan_write4(AT(ft_a));
	__tsan_read1(ft_bytes);
	char c = *(volatile char *)ft_bytes;
	__tsan_read4(AT(ft_b));
	ft_a = ft_b + (uint32_t)c;
}

CASE(late_hook_too_late, "late-write")
{
	__heddle_late_write4(AT(ft_a));
	__tsan_read1(ft_bytes);
	char c = *(volatile char *)ft_bytes;
	__tsan_read4(AT(ft_b));
	ft_a = ft_b + (uint32_t)c;
}

CASE(not_late, "not-late")
{
	__heddle_late_write4(AT(ft_a));
	ft_a = 1;
}

CASE(atomic_load_again, "atomic-load-again")
{
	__tsan_atomic32_load(&ft_a, 0);
	(void)ft_a;
}

CASE(reported_twice, "reported-twice")
{
	__tsan_write_range(ft_bytes, 40);
	memset(ft_bytes, 0, audit_hide_size(40));
}

CASE(library_call, "library-call:a64l")
{
	volatile long local = a64l(ft_bytes);
	(void)local;
}
