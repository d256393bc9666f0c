/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at memory without a fault; see probe.h.  One load of each page is made by an instruction
 * with a known address.  If it faults, the handler lets it continue at the place that answers no.
 */
#include "rt/probe.h"
#include "rt/mem.h"

#include <ucontext.h>

#define PAGE 4096ull

bool probe_byte(const void *p);
extern const char probe_load[], probe_failed[];

__asm__(".pushsection heddle_text, \"ax\", @progbits\n"
	".globl probe_byte, probe_load, probe_failed\n"
	".hidden probe_byte, probe_load, probe_failed\n"
	".type probe_byte, @function\n"
	"probe_byte:\n"
	"	.cfi_startproc\n"
	"probe_load:\n"
	"	movb (%rdi), %al\n"
	"	mov $1, %eax\n"
	"	ret\n"
	"probe_failed:\n"
	"	xor %eax, %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size probe_byte, . - probe_byte\n"
	".popsection\n");

bool probe_fault(void *context)
{
	greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	if (*rip != (greg_t)probe_load)
		return false;
	*rip = (greg_t)probe_failed;
	return true;
}

bool rt_can_read(const void *p, size_t n)
{
	uintptr_t at = (uintptr_t)p, last = at + n - 1;
	if (!n)
		return true;
	if (last < at || !probe_byte(p))
		return false;
	for (uintptr_t page = (at & ~(PAGE - 1)) + PAGE; page <= last && page > at; page += PAGE)
		if (!probe_byte((const void *)page))
			return false;
	return true;
}

bool rt_can_read_string(const char *s, size_t *n)
{
	for (*n = 0;; ++*n) {
		const volatile char *c = s + *n;
		if ((!*n || (uintptr_t)c % PAGE == 0) && !probe_byte((const void *)c))
			return false;
		if (!*c)
			return true;
	}
}

bool rt_load(void *to, const void *from, size_t n)
{
	if (!rt_can_read(from, n))
		return false;
	rt_memcpy(to, from, n);
	return true;
}
