/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vfork returns twice into the frame of its caller, so no function may stand in between: natively
 * this is a jump to libc's own.  Under control, and before libc's is known, it is a fork.
 */
	.section heddle_text, "ax", @progbits
	.weak vfork
	.type vfork, @function
vfork:
	.cfi_startproc
	cmpl $0, g(%rip)		/* g.active */
	jne fork_instead_of_vfork
	mov real_vfork(%rip), %rax
	test %rax, %rax
	jz fork_instead_of_vfork
	jmp *%rax
	.cfi_endproc
	.size vfork, .-vfork

	.section .note.GNU-stack, "", @progbits
