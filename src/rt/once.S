/* SPDX-License-Identifier: Apache-2.0 */
/* once_run(routine: rdi).  A frame of its own, so that the unwinder asks once_unwind when it is
 * left. */
	.section heddle_text, "ax", @progbits
	.globl once_run
	.hidden once_run
	.type once_run, @function
once_run:
	.cfi_startproc
	/* relative to the place that names it, four bytes */
	.cfi_personality 0x1b, once_unwind
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	call *%rdi
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size once_run, .-once_run

	.section .note.GNU-stack, "", @progbits
