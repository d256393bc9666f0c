/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runtime does on behalf of a thread depends on how its schedule is made: by a policy,
 * from a record, with events counted.  None of it may leave anything on the program's stack,
 * since a program can read what was never written there (padding of a struct that is copied) and
 * would behave differently in a replay.  Frames of the runtime itself have such holes, too, which
 * belong to the state by which an await is recognised (await.c): whether others have looked at a
 * clock, or a store had to wait, must not show in them. So everything but the shortest path of a
 * hook (hooks.S) runs on a stack of its own, one for each thread, below the thread's.
 *
 * A function listed here is called by its plain name; it switches to the hook stack and calls
 * NAME_here, with the arguments in registers as they are; those of the caller that it must not
 * change, and its stack pointer, are in rt_hook_registers.  rt_hook_top is where the running
 * thread's hook stack begins, 0 while it is in use or there is none: then NAME_here runs where it
 * is.  It stays 0 when the hook stack is left by a jump (out of a handler, or by cancellation),
 * until the program, on its own stack again, comes to the next function here.  So a wrong 0 is
 * put right by the next such function; that the stack is used at all is what tests/e2e/hooks
 * (residue.c) sees.
 */
#include "wire/fault.h"
#include "rt/hot_offsets.h"

	.section heddle_text, "ax", @progbits

	.macro on_hook_stack name, fault=HOOKS_ON_PROGRAM_STACK
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	.cfi_startproc
	jump_if_fault HOOKS_ON_PROGRAM_STACK, \name\()_here
	jump_if_fault \fault, \name\()_here
	mov rt_hook_top(%rip), %r11
	test %r11, %r11
	jz 2f
	movq $0, rt_hook_top(%rip)
	xchg %rsp, %r11
	mov %rbx, rt_hook_registers(%rip)
	mov %rbp, rt_hook_registers+8(%rip)
	mov %r12, rt_hook_registers+16(%rip)
	mov %r13, rt_hook_registers+24(%rip)
	mov %r14, rt_hook_registers+32(%rip)
	mov %r15, rt_hook_registers+40(%rip)
	mov %r11, rt_hook_registers+48(%rip)
	mov %r11, rt_program(%rip)
	mov %rbp, rt_program+8(%rip)
	.cfi_def_cfa %r11, 8
	push %r11
	push %r11
	/* The caller's stack pointer is on top: CFA = *(rsp) + 8. */
	.cfi_escape 0x0f, 0x05, 0x77, 0x00, 0x06, 0x23, 0x08
	call \name\()_here
	pop %r11
	lea 8(%rsp), %r10
	/* Control may have ended meanwhile: then there is one stack less, and perhaps more threads.
	 */
	cmpl $0, g(%rip)
	je 1f
	mov %r10, rt_hook_top(%rip)
1:	mov %r11, %rsp
	.cfi_def_cfa %rsp, 8
	ret
2:	lea \name\()_here(%rip), %r11
	jmp hook_stack_in_use
	.cfi_endproc
	.size \name, .-\name
	.endm

	/* r11: the function to call.  On the program's stack, the hook stack is not in use any
	 * more. */
	.type hook_stack_in_use, @function
hook_stack_in_use:
	.cfi_startproc
	cmpl $0, g(%rip)
	je 1f
	mov %rsp, %r10
	sub g+G_STACK_LOW(%rip), %r10
	cmp g+G_STACK_SIZE(%rip), %r10
	jae 1f
	mov rt_hook_base(%rip), %r10
	xchg %rsp, %r10
	mov %r10, rt_program(%rip)
	mov %rbp, rt_program+8(%rip)
	.cfi_def_cfa %r10, 8
	push %r10
	push %r10
	.cfi_escape 0x0f, 0x05, 0x77, 0x00, 0x06, 0x23, 0x08
	call *%r11
	pop %r11
	lea 8(%rsp), %r10
	cmpl $0, g(%rip)
	je 2f
	mov %r10, rt_hook_top(%rip)
2:	mov %r11, %rsp
	.cfi_def_cfa %rsp, 8
	ret
1:	jmp *%r11
	.cfi_endproc
	.size hook_stack_in_use, .-hook_stack_in_use

	.irp size, 1, 2, 4, 8
	on_hook_stack cold_read_\size
	.endr
	on_hook_stack report_read
	on_hook_stack hook_read_long
	on_hook_stack cold_write
	on_hook_stack hook_late
	on_hook_stack cold_branch
	on_hook_stack rt_settle
	on_hook_stack sched_point
	on_hook_stack sched_wait
	on_hook_stack sched_wait_io
	on_hook_stack sched_choose
	on_hook_stack sched_add, NEW_THREAD_ON_PROGRAM_STACK
	on_hook_stack sched_exit_thread
	on_hook_stack signal_set_in_kernel
	on_hook_stack outside_signal_awaits
	on_hook_stack explore_hidden
	on_hook_stack explore_look
	on_hook_stack explore_failed_join
	on_hook_stack ring_wait_space
	on_hook_stack fiber_new
	.irp name, flush_oldest, need_empty, drain_range, before, store
	on_hook_stack buffer_\name, FLUSH_ON_PROGRAM_STACK
	.endr
	.irp name, saw_read, saw_write, publish, receive
	on_hook_stack clock_\name
	.endr
	.irp event, access, rmw_packed, sync, block, text, data, note
	on_hook_stack ev_\event
	.endr

/*
 * Count a hook; perhaps another thread runs first.  Always called, never in line: the return
 * address is on the stack whether the scheduler is asked or not.
 */
	.globl rt_point
	.hidden rt_point
	.type rt_point, @function
rt_point:
	.cfi_startproc
	cmpq $0, g+8(%rip)
	jle sched_point
	subq $1, g+8(%rip)
	ret
	.cfi_endproc
	.size rt_point, .-rt_point

	.section .note.GNU-stack,"",@progbits
