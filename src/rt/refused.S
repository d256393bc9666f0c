/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stub for each function that libc.def refuses.  A stub jumps through its record, {target,
 * name}, with all arguments untouched.  The target is refused_first until a native run has found
 * the real function, which is then jumped to directly; see libc_refused.c.
 */
#define LIBC(name, CLASS) STUB_##CLASS(name)
#define STUB_PURE(name)
#define STUB_RANGES(name)
#define STUB_STREAM(name)
#define STUB_HIDDEN(name)
#define STUB_BLOCKS(name)
#define STUB_INPUT(name)
#define STUB_HEAP(name)
#define STUB_MODELLED(name)
#define STUB_EXIT(name)
#define STUB_REFUSED(name) refuse name

	.macro refuse name
	.section heddle_names, "a", @progbits
1:	.asciz "\name"
	.section heddle_slots, "aw", @progbits
	.balign 8
2:	.quad refused_first
	.quad 1b
	.section heddle_text, "ax", @progbits
	.balign 16
	.weak \name
	.type \name, @function
\name:
	.cfi_startproc
	lea 2b(%rip), %r11
	jmp *(%r11)
	.cfi_endproc
	.size \name, . - \name
	.endm

	/* Asks which function to go on with, and goes on with the arguments as they came. */
	.section heddle_text, "ax", @progbits
	.type refused_first, @function
refused_first:
	.cfi_startproc
	push %rdi
	push %rsi
	push %rdx
	push %rcx
	push %r8
	push %r9
	push %rax
	.cfi_adjust_cfa_offset 56
	sub $128, %rsp
	.cfi_adjust_cfa_offset 128
	movups %xmm0, (%rsp)
	movups %xmm1, 16(%rsp)
	movups %xmm2, 32(%rsp)
	movups %xmm3, 48(%rsp)
	movups %xmm4, 64(%rsp)
	movups %xmm5, 80(%rsp)
	movups %xmm6, 96(%rsp)
	movups %xmm7, 112(%rsp)
	mov %r11, %rdi
	mov 184(%rsp), %rsi
	call refused_target
	mov %rax, %r11
	movups (%rsp), %xmm0
	movups 16(%rsp), %xmm1
	movups 32(%rsp), %xmm2
	movups 48(%rsp), %xmm3
	movups 64(%rsp), %xmm4
	movups 80(%rsp), %xmm5
	movups 96(%rsp), %xmm6
	movups 112(%rsp), %xmm7
	add $128, %rsp
	.cfi_adjust_cfa_offset -128
	pop %rax
	pop %r9
	pop %r8
	pop %rcx
	pop %rdx
	pop %rsi
	pop %rdi
	.cfi_adjust_cfa_offset -56
	jmp *%r11
	.cfi_endproc
	.size refused_first, . - refused_first

#include "wire/libc.def"

	.section .note.GNU-stack, "", @progbits
