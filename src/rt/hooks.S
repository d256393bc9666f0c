/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compilers' hooks for reads, writes and branches: the shortest way through each, which
 * nearly all of them take.  What is not usual goes on in access.c.
 *
 * In assembler, because nothing may be left on the program's stack (hook_stack.S says why), which
 * no compiler promises, and because the cost of recording is the cost of these few dozen
 * instructions.
 *
 * A hook returns here if it need not ask the scheduler (budget), nothing has to be done first
 * (slow, unsettled), memory holds what the shadow says, the reader of the trace knows these bytes
 * (so they are not freed either), and site, address and flags are the expected ones
 * (wire/accesses.h).  A write is only noted, and settled by the next hook, with the same
 * questions and that for its value.  If all is well but for what is expected, tokens.S makes a
 * token of the access.
 *
 * Registers, all of which a function may change: rdi the address, rax the budget less this hook,
 * rdx the place, rsi the site, r10 the value, ecx the flags, r11 where to go on after a write has
 * been settled.
 */
#include "wire/fault.h"
#include "rt/hot_offsets.h"

	.section heddle_text, "ax", @progbits

	.macro load size, from, wide, narrow
	.if \size == 1
	movzbl \from, %\narrow
	.elseif \size == 2
	movzwl \from, %\narrow
	.elseif \size == 4
	mov \from, %\narrow
	.else
	mov \from, %\wide
	.endif
	.endm

	/* r10 against memory or a register, as many bytes as the access has. */
	.macro compare_r10 size, one, two, four, eight
	.if \size == 1
	cmp \one, %r10b
	.elseif \size == 2
	cmp \two, %r10w
	.elseif \size == 4
	cmp \four, %r10d
	.else
	cmp \eight, %r10
	.endif
	.endm

	/* Jump to `no` unless the reader of the trace knows the bytes; accesses that cross words
	 * are not asked about. */
	.macro check_known size, no
	.if \size > 1
	test $(\size - 1), %dil
	jnz \no
	.endif
	mov %rdi, %r8
	shr $3, %r8
	movabs $HOT_KNOWN_BASE, %r9
	cmpb $-1, (%r9, %r8)
	.if \size == 8
	jne \no
	.else
	je 1f
	movzbl (%r9, %r8), %r8d
	mov %edi, %ecx
	and $7, %ecx
	shr %cl, %r8d
	not %r8d
	test $((1 << \size) - 1), %r8b
	jnz \no
1:
	.endif
	.endm

	/* rsi: the site of this place if it is the one that came here the last time, too;
	 * otherwise jump to `no`. */
	.macro follow_site no
	mov g + G_SITE(%rip), %r9
	mov SITE_NEXT_AT(%r9), %rsi
	cmp %rdx, SITE_UNIQUE_PC(%rsi)
	jne \no
	.endm

	/* rsi: the site of this place; jump to `no` if it is not found at once. */
	.macro find_site kind, size, no
	mov %rdx, %rsi
	shr $HINT_SHIFT, %rsi
	and $(HINTS - 1), %esi
	.if \size == 1
	lea site_hints + \kind * 32 * HINTS(%rip), %r8
	.elseif \size == 2
	lea site_hints + \kind * 32 * HINTS + 8 * HINTS(%rip), %r8
	.elseif \size == 4
	lea site_hints + \kind * 32 * HINTS + 16 * HINTS(%rip), %r8
	.else
	lea site_hints + \kind * 32 * HINTS + 24 * HINTS(%rip), %r8
	.endif
	mov (%r8, %rsi, 8), %rsi
	cmp %rdx, SITE_PC(%rsi)
	jne \no
	.endm

	/* ecx: the flags of the access at rdi.  Below the live part of the own stack: jump to 9
	 * (left_frame.h). */
	.macro find_flags volatile
	mov %rdi, %r8
	sub g + G_STACK_LOW(%rip), %r8
	cmp g + G_STACK_SIZE(%rip), %r8
	sbb %ecx, %ecx
	jae 1f
	cmp %rsp, %rdi
	jb 9f
1:
	and $HOT_EVF_STACK, %ecx
	.if \volatile
	or $\volatile, %ecx
	.endif
	or g + G_BRANCHED(%rip), %cl
	.endm

	/* Is an access at `address` with flags cl what is expected at site rsi? */
	.macro check_expected address, no
	mov SITE_BASE_AT(%rsi), %r9
	mov (%r9), %r9
	add SITE_STEP(%rsi), %r9
	cmp \address, %r9
	jne \no
	cmp %cl, SITE_FLAGS(%rsi)
	jne \no
	.endm

	/* r10 may be a pointer into a module; then its canonical form is reported. */
	.macro check_pointer size, yes
	.if \size == 8
	mov %r10, %r9
	sub g + G_MODULES_LOW(%rip), %r9
	cmp g + G_MODULES_SIZE(%rip), %r9
	jb \yes
	.endif
	.endm

	.macro went_on address
	addq $1, g + G_CHUNK_EVENTS(%rip)
	mov %rsi, g + G_SITE(%rip)
	mov \address, SITE_ADDRESS(%rsi)
	mov \address, g + G_SEEN_ADDRESS(%rip)
	.endm

	/*
	 * Labels of a hook: 0 it begins; 4 the scheduler is to be asked; 8 something is to be
	 * done first; 7 nothing is left to be done first; 3 another site than expected; 2 the
	 * site is known; 6 something about the access is not as expected; 9 access.c knows what
	 * to do; 5 return.
	 */
	.macro enter_hook
0:	mov g + G_BUDGET(%rip), %rax
	sub $1, %rax
	js 4f
	cmpq $0, g + G_SLOW(%rip)
	jne 8f
	.endm

	.macro settle_first
8:	cmpl $0, g + G_SLOW(%rip)
	jne 9f
	lea 7b(%rip), %r11
	settle_quick
	.endm

	/* Ask the scheduler, once a noted write is settled; then the hook begins again. */
	.macro ask_first
4:	cmpl $0, g + G_ACTIVE(%rip)
	je 5f
	cmpl $0, g + G_SLOW(%rip)
	jne 9f
	mov (%rsp), %rdx
	mov %rdx, g + G_HOOK_PC(%rip)
	lea 0b(%rip), %r11
	cmpl $0, g + G_UNSETTLED(%rip)
	je ask_scheduler
	/* Settled, it comes back to this label, since the budget is still used up. */
	settle_quick
	jmp 9f
	.endm

	.macro settle_quick
	mov g + G_UNSETTLED(%rip), %ecx
	cmp $4, %ecx
	je settle_4
	cmp $8, %ecx
	je settle_8
	jb settle_small
	.endm

	/* With G_SLOW, which is 0: a load of both soon after a store of one would have to wait
	 * for that. */
	.macro set_unsettled size
	.if \size
	movabs $(\size << 32), %r8
	mov %r8, g + G_SLOW(%rip)
	.else
	movq $0, g + G_SLOW(%rip)
	.endif
	.endm

	.macro function name
	.weak \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm

	.macro end_function name
	.cfi_endproc
	.size \name, . - \name
	.endm

	/* ---- settling: r11 tells where to go on, with rdi and rax as they are ---- */

	.macro settle size
	.p2align 4
settle_\size:
	.cfi_startproc
	mov g + G_QUICK_ADDRESS(%rip), %r8
	mov g + G_QUICK_SITE(%rip), %rsi
	load \size, (%r8), r10, r10d
	check_pointer \size, settle_slow
	mov %r8, %r9
	btc $SHADOW_BIT, %r9
	load \size, (%r9), rdx, edx
	mov %rdx, g + G_MEMORY(%rip)
	.if \size == 1
	mov %r10b, (%r9)
	.elseif \size == 2
	mov %r10w, (%r9)
	.elseif \size == 4
	mov %r10d, (%r9)
	.else
	mov %r10, (%r9)
	.endif
	movzbl g + G_QUICK_FLAGS(%rip), %ecx
	mov g + G_SITE(%rip), %r9
	cmp %rsi, SITE_NEXT_AT(%r9)
	jne token_of_write
	check_expected %r8, token_of_write
	mov SITE_VALUE_AT(%rsi), %r9
	mov (%r9), %r9
	add SITE_VALUE_STEP(%rsi), %r9
	compare_r10 \size, %r9b, %r9w, %r9d, %r9
	jne token_of_write
	went_on %r8
	mov %r10, SITE_VALUE(%rsi)
	set_unsettled 0
	jmp *%r11
	.cfi_endproc
	.endm

	settle 1
	settle 2
	settle 4
	settle 8

settle_small:
	.cfi_startproc
	cmp $1, %ecx
	je settle_1
	jmp settle_2
	.cfi_endproc

	/*
	 * Call a function on the hook stack in the middle of a hook, with r8, rsi, r10 and rcx as
	 * arguments. Without one (a handler runs on it) the stack in use will do.  Behind the
	 * pushes CFA = *(rsp + 24) + 8.
	 */
	.macro call_aside function, after
	.cfi_startproc
	jump_if_fault HOOKS_ON_PROGRAM_STACK, 1f
	mov rt_hook_top(%rip), %r9
	test %r9, %r9
	jz 1f
	movq $0, rt_hook_top(%rip)
	xchg %rsp, %r9
	mov %r9, rt_program(%rip)
	mov %rbp, rt_program+8(%rip)
	.cfi_def_cfa %r9, 8
	push %r9
	push %rdi
	push %rax
	push %r11
	.cfi_escape 0x0f, 0x05, 0x77, 0x18, 0x06, 0x23, 0x08
	mov %r8, %rdi
	mov %r10, %rdx
	call \function
	pop %r11
	pop %rax
	pop %rdi
	pop %r9
	.cfi_def_cfa %r9, 8
	/* Control may have ended meanwhile: then there is one stack less, and perhaps more threads.
	 */
	cmpl $0, g + G_ACTIVE(%rip)
	je 2f
	mov %rsp, rt_hook_top(%rip)
2:	mov %r9, %rsp
	.cfi_def_cfa %rsp, 8
	\after
	jmp *%r11
1:	push %rdi
	push %rax
	push %r11
	.cfi_def_cfa_offset 32
	mov %r8, %rdi
	mov %r10, %rdx
	call \function
	pop %r11
	pop %rax
	pop %rdi
	.cfi_def_cfa_offset 8
	\after
	jmp *%r11
	.cfi_endproc
	.endm

	/* The hook has been counted already when it begins again. */
	.macro count_again
	cmpl $0, g + G_ACTIVE(%rip)
	je 3f
	addq $1, g + G_BUDGET(%rip)
3:
	.endm

	.globl settle_surprise
	.hidden settle_surprise
settle_surprise:
	call_aside report_write_here
settle_slow:
	call_aside rt_settle_here
ask_scheduler:
	call_aside sched_point_here, count_again

	/* ---- the hooks ---- */

	.macro read_hook name, size, volatile=0
	.p2align 4
	function \name
	enter_hook
7:	mov (%rsp), %rdx
	mov %rdx, g + G_HOOK_PC(%rip)
	load \size, (%rdi), r10, r10d
	mov %rdi, %r8
	btc $SHADOW_BIT, %r8
	compare_r10 \size, (%r8), (%r8), (%r8), (%r8)
	jne 9f
	check_known \size, 9f
	check_pointer \size, 9f
	follow_site 3f
	find_flags \volatile
	mov %rax, g + G_BUDGET(%rip)
	check_expected %rdi, 6f
	went_on %rdi
	mov %r10, g + G_SEEN_VALUE(%rip)
	.if \size == 8
	mov %r10, g + G_SEEN_POINTER(%rip)
	.endif
	movb $0, g + G_BRANCHED(%rip)
	ret
3:	find_site 0, \size, 9f
	find_flags \volatile
	mov %rax, g + G_BUDGET(%rip)
6:	jmp token_of_read
	settle_first
	ask_first
9:
	mov (%rsp), %rdx
	mov $\volatile, %esi
	jmp cold_read_\size
5:	ret
	end_function \name
	.endm

	.macro write_hook name, size, volatile=0
	.p2align 4
	function \name
	enter_hook
7:	mov (%rsp), %rdx
	check_known \size, 9f
	follow_site 3f
2:	find_flags \volatile
	mov %rax, g + G_BUDGET(%rip)
	mov %rdx, g + G_HOOK_PC(%rip)
	mov %rdi, g + G_QUICK_ADDRESS(%rip)
	mov %rsi, g + G_QUICK_SITE(%rip)
	mov %cl, g + G_QUICK_FLAGS(%rip)
	set_unsettled \size
	movb $0, g + G_BRANCHED(%rip)
	ret
3:	find_site 1, \size, 9f
	jmp 2b
	settle_first
	ask_first
9:
	mov (%rsp), %rcx
	mov $\volatile, %edx
	mov $\size, %esi
	jmp cold_write
5:	ret
	end_function \name
	.endm

	.irp size, 1, 2, 4, 8
	read_hook __tsan_read\size, \size
	read_hook __tsan_unaligned_read\size, \size
	read_hook __tsan_volatile_read\size, \size, HOT_EVF_VOLATILE
	read_hook __tsan_unaligned_volatile_read\size, \size, HOT_EVF_VOLATILE
	write_hook __tsan_write\size, \size
	write_hook __tsan_unaligned_write\size, \size
	write_hook __tsan_volatile_write\size, \size, HOT_EVF_VOLATILE
	write_hook __tsan_unaligned_volatile_write\size, \size, HOT_EVF_VOLATILE
	.endr
	read_hook __tsan_vptr_read, 8
	write_hook __tsan_vptr_update, 8

	.macro branch_hook name
	.p2align 4
	function \name
0:	mov g + G_BUDGET(%rip), %rax
	sub $1, %rax
	js 4f
	cmpl $0, g + G_UNSETTLED(%rip)
	jne 8f
7:	mov (%rsp), %rdx
	mov %rdx, %r8
	sub g + G_CODE_LOW(%rip), %r8
	cmp g + G_CODE_SIZE(%rip), %r8
	jae 9f
	mov %rax, g + G_BUDGET(%rip)
	mov %rdx, g + G_HOOK_PC(%rip)
	add g + G_CODE_SHIFT(%rip), %rdx
	xor g + G_PATH(%rip), %rdx
	movabs $HOT_PATH_FACTOR, %r8
	imul %r8, %rdx
	mov %rdx, g + G_PATH(%rip)
	movb $HOT_EVF_BRANCH, g + G_BRANCHED(%rip)
	ret
	settle_first
	ask_first
9:	mov (%rsp), %rdi
	jmp cold_branch
5:	ret
	end_function \name
	.endm

	branch_hook __sanitizer_cov_trace_pc
	branch_hook __sanitizer_cov_trace_pc_guard

	.section .note.GNU-stack,"",@progbits
