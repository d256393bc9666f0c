/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_as(function: rdi, ret: rsi, a: rdx, b: rcx, c: r8): function(a, b, c), which returns to the
 * instruction at `ret`.  That is a `ret` too, and leads back here.
 */
	.section heddle_text, "ax", @progbits
	.globl call_as
	.hidden call_as
	.type call_as, @function
call_as:
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register rbp
	sub $8, %rsp		/* the function finds the stack aligned as after a call */
	lea 1f(%rip), %rax
	push %rax
	push %rsi
	mov %rdi, %r11
	mov %rdx, %rdi
	mov %rcx, %rsi
	mov %r8, %rdx
	jmp *%r11
1:	leave
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size call_as, . - call_as

/*
 * call_by_number(function: rdi, arguments: rsi): function(...) with six arguments, which may be
 * variable ones.  Its return address says that syscall() made the call (PC in rt.h).
 */
	.globl call_by_number, call_by_number_return
	.hidden call_by_number, call_by_number_return
	.type call_by_number, @function
call_by_number:
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register rbp
	mov %rdi, %r11
	mov %rsi, %r10
	mov (%r10), %rdi
	mov 8(%r10), %rsi
	mov 16(%r10), %rdx
	mov 24(%r10), %rcx
	mov 32(%r10), %r8
	mov 40(%r10), %r9
	xor %eax, %eax
	call *%r11
call_by_number_return:
	leave
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size call_by_number, . - call_by_number

	.section .note.GNU-stack, "", @progbits
