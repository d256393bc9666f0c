/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches between the program's threads.  Callee-saved registers and the control words of both
 * floating-point units are all that the ABI lets a function expect to find again.  Both kinds of
 * switch leave the same bytes on the stack, and nothing below them: a program that reads memory
 * it never wrote finds the same with either.
 *
 * The unwinding rules are exact at every instruction, so a debugger sees the callers of a thread
 * that waits here.
 */
#include <sys/syscall.h>

#define TURN_RUN 1
/* linux/futex.h is for C only.  Both with the flag for futexes of one process. */
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129

	.macro save_register name
	push %\name
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \name, 0
	.endm

	.macro restore_register name
	pop %\name
	.cfi_adjust_cfa_offset -8
	.cfi_restore \name
	.endm

	.macro save_registers
	save_register rbp
	save_register rbx
	save_register r12
	save_register r13
	save_register r14
	save_register r15
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	.endm

	.macro restore_registers
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	restore_register r15
	restore_register r14
	restore_register r13
	restore_register r12
	restore_register rbx
	restore_register rbp
	.endm

	.section heddle_text, "ax", @progbits
	.globl fiber_swap
	.hidden fiber_swap
	.type fiber_swap, @function
fiber_swap:			/* save: rdi, to: rsi */
	.cfi_startproc
	save_registers
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
2:	restore_registers
	ret
	.cfi_endproc
	.size fiber_swap, .-fiber_swap

	.globl fiber_hand_over
	.hidden fiber_hand_over
	.type fiber_hand_over, @function
fiber_hand_over:		/* save: rdi, own turn: rdx, the other's: rcx */
	.cfi_startproc
	save_registers
	mov %rsp, (%rdi)
	mov %rdx, %r12
	movl $TURN_RUN, (%rcx)
	mov %rcx, %rdi
	mov $FUTEX_WAKE_PRIVATE, %esi
	mov $1, %edx
	mov $SYS_futex, %eax
	syscall
1:	cmpl $0, (%r12)
	jne 2f
	mov %r12, %rdi
	mov $FUTEX_WAIT_PRIVATE, %esi
	xor %edx, %edx
	xor %r10d, %r10d
	mov $SYS_futex, %eax
	syscall
	jmp 1b
2:	restore_registers
	ret
	.cfi_endproc
	.size fiber_hand_over, .-fiber_hand_over

	.globl fiber_start
	.hidden fiber_start
	.type fiber_start, @function
/* sp: rdi; a jump instead of a return, which a shadow stack would not allow */
fiber_start:
	.cfi_startproc
	.cfi_undefined rip
	mov %rdi, %rsp
	ldmxcsr (%rsp)
	fldcw 4(%rsp)
	add $8, %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbx
	pop %rbp
	pop %rax
	jmp *%rax
	.cfi_endproc
	.size fiber_start, .-fiber_start

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
