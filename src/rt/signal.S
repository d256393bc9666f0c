/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_entry     where a thread goes on that has a handler for its fault: calls fault_body(rdi),
 *                 which does not return
 * fault_return    back to the instruction that faulted, with the registers of the context at rdi
 * signal_call_at  calls rdi with the stack pointer rsi, which is below the current one and a
 *                 multiple of 16
 */
	.section heddle_text, "ax", @progbits
	.globl fault_entry
	.hidden fault_entry
	.type fault_entry, @function
fault_entry:
	.cfi_startproc simple
	.cfi_signal_frame
	/* The context that rsp points to: rip at 168, rsp at 160, the callee-saved registers
	 * where the kernel puts them. */
	.cfi_def_cfa rsp, 0
	.cfi_offset rip, 168
	.cfi_offset rsp, 160
	.cfi_offset rbx, 128
	.cfi_offset rbp, 120
	.cfi_offset r12, 72
	.cfi_offset r13, 80
	.cfi_offset r14, 88
	.cfi_offset r15, 96
	call fault_body
	ud2
	.cfi_endproc
	.size fault_entry, .-fault_entry

	.globl fault_return
	.hidden fault_return
	.type fault_return, @function
fault_return:
	.cfi_startproc
	mov %rdi, %rsp
	mov $15, %eax		/* rt_sigreturn */
	syscall
	ud2
	.cfi_endproc
	.size fault_return, .-fault_return

	.globl signal_call_at
	.hidden signal_call_at
	.type signal_call_at, @function
signal_call_at:
	.cfi_startproc
	push %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register rbp
	mov %rsi, %rsp
	call *%rdi
	leave
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size signal_call_at, .-signal_call_at

	.section .note.GNU-stack, "", @progbits
