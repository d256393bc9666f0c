/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fiber_swap(save: rdi, to: rsi).  Callee-saved registers and the control words of both floating-point units are all
 * that the ABI lets a function expect to find again.
 */
	.text
	.globl fiber_swap
	.hidden fiber_swap
	.type fiber_swap, @function
fiber_swap:
	.cfi_startproc
	push %rbp
	.cfi_adjust_cfa_offset 8
	push %rbx
	.cfi_adjust_cfa_offset 8
	push %r12
	.cfi_adjust_cfa_offset 8
	push %r13
	.cfi_adjust_cfa_offset 8
	push %r14
	.cfi_adjust_cfa_offset 8
	push %r15
	.cfi_adjust_cfa_offset 8
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	/* Loading control words is slow and they hardly ever differ. */
	mov (%rsp), %eax
	movzwl 4(%rsp), %ecx
	mov %rsp, (%rdi)
	mov %rsi, %rsp
	cmp (%rsp), %eax
	jne 1f
	cmp %cx, 4(%rsp)
	je 2f
1:	ldmxcsr (%rsp)
	fldcw 4(%rsp)
2:	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	pop %r15
	.cfi_adjust_cfa_offset -8
	pop %r14
	.cfi_adjust_cfa_offset -8
	pop %r13
	.cfi_adjust_cfa_offset -8
	pop %r12
	.cfi_adjust_cfa_offset -8
	pop %rbx
	.cfi_adjust_cfa_offset -8
	pop %rbp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size fiber_swap, .-fiber_swap

	.globl fiber_entry
	.hidden fiber_entry
	.type fiber_entry, @function
fiber_entry:
	.cfi_startproc
	.cfi_undefined rip
	xor %ebp, %ebp
	mov %r12, %rdi
	call *%rbx
	ud2
	.cfi_endproc
	.size fiber_entry, .-fiber_entry

	.section .note.GNU-stack,"",@progbits
