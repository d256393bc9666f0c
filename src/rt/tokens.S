/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of plain accesses that are not as expected (wire/accesses.h): what chunk_access
 * (chunk.c) makes of an access to bytes that the reader knows, for the hooks, without a stack.  A
 * third of the accesses of many programs come here.
 *
 * Both have to make the same tokens, so that a trace does not depend on the way that an access
 * took.  What is rare is left to chunk_access: a chunk that is full, a long run of expected
 * accesses before this one, a place with several sites.
 *
 * Registers from begin_token on: rdi the address, rsi the site, edx the token, r8 where its next
 * byte goes, cl the flags; xmm0 the value, and of a write xmm1 and xmm2 what settling must keep,
 * rdi and r11.
 */
#include "rt/hot_offsets.h"

	.section heddle_text, "ax", @progbits

	/* r9: accesses as expected before this one, rdx: end of the chunk; jump to `no` if this
	 * is not for here. */
	.macro check_room no
	cmpq $0, SITE_LONE_PC(%rsi)
	je \no
	mov g + G_CHUNK_AT(%rip), %rdx
	lea chunk + HOT_CHUNK_MAX - HOT_TOKEN_MAX(%rip), %r9
	cmp %r9, %rdx
	ja \no
	mov g + G_CHUNK_EVENTS(%rip), %r9
	sub g + G_CHUNK_TOLD(%rip), %r9
	cmp $HOT_RUN_LONG, %r9
	jae \no
	.endm

	/* The run before the token, and where the token itself will be. */
	.macro begin_token
	mov %rdx, %r8
	test %r9d, %r9d
	jz 1f
	or $HOT_RUN, %r9d
	mov %r9b, (%r8)
	add $1, %r8
1:	mov g + G_CHUNK_EVENTS(%rip), %rax
	add $1, %rax
	mov %rax, g + G_CHUNK_EVENTS(%rip)
	mov %rax, g + G_CHUNK_TOLD(%rip)
	mov %r8, g + G_CHUNK_AT(%rip)
	add $1, %r8
	.endm

	.macro put_site
	xor %edx, %edx
	mov g + G_SITE(%rip), %r9
	mov SITE_ID(%rsi), %eax
	cmp %eax, SITE_NEXT(%r9)
	je 1f
	mov %eax, SITE_NEXT(%r9)
	mov %rsi, SITE_NEXT_AT(%r9)
	mov SITE_VARINT(%rsi), %eax
	mov %eax, (%r8)
	movzbl SITE_VARINT_SIZE(%rsi), %eax
	add %rax, %r8
	mov $HOT_TOKEN_SITE, %edx
1:	mov %rsi, g + G_SITE(%rip)
	.endm

	.macro put_flags
	cmp %cl, SITE_FLAGS(%rsi)
	je 1f
	mov %cl, SITE_FLAGS(%rsi)
	mov %cl, (%r8)
	add $1, %r8
	or $HOT_TOKEN_FLAGS, %edx
1:
	.endm

	/* A difference and how far it is from 0. */
	.macro difference to, from, distance
	mov %rdi, \to
	sub \from, \to
	mov \to, \distance
	sar $63, \distance
	xor \to, \distance
	.endm

	/* rax, rcx, r10d: the difference, its distance and its base, unless those so far are as
	 * good. */
	.macro consider from, base
	difference %r9, \from, %r11
	cmp %rcx, %r11
	jae 1f
	mov %r9, %rax
	mov %r11, %rcx
	mov $\base, %r10d
1:
	.endm

	/* r9d: the bytes that the difference with distance rcx needs, as a power of two. */
	.macro find_width
	xor %r9d, %r9d
	cmp $0x80, %rcx
	sbb $-1, %r9d
	cmp $0x8000, %rcx
	sbb $-1, %r9d
	shr $31, %rcx
	cmp $1, %rcx
	sbb $-1, %r9d
	.endm

	/* The difference in rax, 1 << ecx bytes of it. */
	.macro put_difference
	mov %rax, (%r8)
	mov $1, %r9d
	shl %cl, %r9d
	add %r9, %r8
	.endm

	.macro put_address
	mov SITE_BASE_AT(%rsi), %r9
	mov (%r9), %r9
	add SITE_STEP(%rsi), %r9
	cmp %rdi, %r9
	je 3f
	difference %rax, SITE_ADDRESS(%rsi), %rcx
	mov $HOT_OF_SITE, %r10d
	consider g + G_SEEN_ADDRESS(%rip), HOT_OF_THREAD
	consider g + G_SEEN_POINTER(%rip), HOT_OF_POINTER
	find_width
	lea (%rdx, %r9, 8), %edx
	lea (%rdx, %r10, 2), %edx
	mov %r9d, %ecx
	put_difference
	/* Given twice in a row it is expected. */
	cmp %r10b, SITE_SEEN_BASE(%rsi)
	jne 2f
	cmp %rax, SITE_SEEN_STEP(%rsi)
	jne 2f
	mov %r10b, SITE_BASE(%rsi)
	mov %rax, SITE_STEP(%rsi)
	lea g + G_SEEN_ADDRESS - 8 * HOT_OF_THREAD(%rip), %r9
	lea (%r9, %r10, 8), %r9
	cmp $HOT_OF_SITE, %r10d
	cmove %rsi, %r9
	mov %r9, SITE_BASE_AT(%rsi)
2:	mov %r10b, SITE_SEEN_BASE(%rsi)
	mov %rax, SITE_SEEN_STEP(%rsi)
3:	mov %rdi, SITE_ADDRESS(%rsi)
	mov %rdi, g + G_SEEN_ADDRESS(%rip)
	.endm

	/* Of a write; rdi is the value now. */
	.macro put_value
	mov SITE_VALUE_AT(%rsi), %r9
	mov (%r9), %r9
	add SITE_VALUE_STEP(%rsi), %r9
	movzbl SITE_SIZE(%rsi), %ecx
	neg %ecx
	lea 64(, %rcx, 8), %ecx
	xor %rdi, %r9
	shl %cl, %r9
	jz 3f
	or $HOT_TOKEN_VALUE, %edx
	mov %rdi, %rax
	mov %rax, %rcx
	sar $63, %rcx
	xor %rax, %rcx
	mov $HOT_VALUE_ABSOLUTE, %r10d
	consider g + G_MEMORY(%rip), HOT_VALUE_OF_MEMORY
	consider g + G_SEEN_VALUE(%rip), HOT_VALUE_OF_READ
	consider SITE_VALUE(%rsi), HOT_VALUE_OF_SITE
	mov %r10b, SITE_VALUE_BASE(%rsi)
	mov %rax, SITE_VALUE_STEP(%rsi)
	find_width
	mov %r9d, %ecx
	add $1, %r9d
	test %rax, %rax
	cmovz %eax, %r9d
	lea (%r10, %r9, 4), %r11d
	mov %r11b, (%r8)
	add $1, %r8
	test %r9d, %r9d
	jz 1f
	put_difference
1:	lea g + G_MEMORY(%rip), %r9
	lea g + G_SEEN_VALUE(%rip), %r11
	cmp $HOT_VALUE_OF_READ, %r10d
	cmove %r11, %r9
	lea SITE_VALUE(%rsi), %r11
	cmp $HOT_VALUE_OF_SITE, %r10d
	cmove %r11, %r9
	lea access_nothing(%rip), %r11
	cmova %r11, %r9
	mov %r9, SITE_VALUE_AT(%rsi)
3:	mov %rdi, SITE_VALUE(%rsi)
	.endm

	.macro end_token
	mov g + G_CHUNK_AT(%rip), %r9
	mov %dl, (%r9)
	mov %r8, g + G_CHUNK_AT(%rip)
	.endm

	/* A read at rdi with flags cl of site rsi, which found r10; it ends the hook. */
	.p2align 4
	.globl token_of_read
	.hidden token_of_read
	.type token_of_read, @function
token_of_read:
	.cfi_startproc
	check_room 9f
	movq %r10, %xmm0
	movb $0, g + G_BRANCHED(%rip)
	begin_token
	put_site
	put_flags
	put_address
	end_token
	movq %xmm0, g + G_SEEN_VALUE(%rip)
	cmpb $8, SITE_SIZE(%rsi)
	jne 1f
	movq %xmm0, g + G_SEEN_POINTER(%rip)
1:	ret
9:	mov %r10, %rdx
	jmp tell_read
	.cfi_endproc
	.size token_of_read, . - token_of_read

	/* A write at r8 with flags cl of site rsi, which left r10; r11 tells where to go on, with
	 * rdi as it is. */
	.p2align 4
	.globl token_of_write
	.hidden token_of_write
	.type token_of_write, @function
token_of_write:
	.cfi_startproc
	check_room settle_surprise
	movq %r10, %xmm0
	movq %rdi, %xmm1
	movq %r11, %xmm2
	mov %r8, %rdi
	begin_token
	put_site
	put_flags
	put_address
	movq %xmm0, %rdi
	put_value
	end_token
	movq $0, g + G_SLOW(%rip)
	movq %xmm1, %rdi
	movq %xmm2, %r11
	mov g + G_BUDGET(%rip), %rax
	sub $1, %rax
	jmp *%r11
	.cfi_endproc
	.size token_of_write, . - token_of_write

	.section .note.GNU-stack,"",@progbits
