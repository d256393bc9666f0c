/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the handler of a caught system call runs.  The kernel's frame holds all registers,
 * vectors included, and what is in those that a function need not keep differs from run to run of
 * the same schedule.  On the program's stack it would be left for the program to read, as padding
 * of a struct that is copied.  So the kernel builds it on the stack of the runtime's handlers, of
 * which there is one for each OS thread, and from there it is moved to the hook stack of the
 * running thread: another thread may go on before the call returns.  An unwinder that comes to
 * the moved frame knows it by the code that it returns to, and goes on with the registers in it,
 * on the program's stack.
 */
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/signals.h"
#include "rt/thread.h"

#include <ucontext.h>

/* Where the moved frame begins, with its return address, and the part that a handler gets beside
 * its context. */
struct moved_frame {
	uintptr_t start;
	siginfo_t *info;
};
struct moved_frame outside_move_frame(siginfo_t *info, ucontext_t *context);

/*
 * outside_entry     the kernel's way in: outside_on_call() with the moved frame
 * outside_return    the way back.  It must itself be code of the runtime; an unwinder knows a
 *                   signal's frame by exactly these instructions, and looks for unwind tables one
 *                   byte before them, where there must be none.
 */
__asm__(".pushsection heddle_text, \"ax\", @progbits\n"
	".globl outside_entry, outside_return\n"
	".hidden outside_entry, outside_return\n"
	".type outside_entry, @function\n"
	"outside_entry:\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	sub $8, %rsp\n"
	"	call outside_move_frame\n"
	"	mov %rax, %rsp\n"
	"	mov %rdx, %rsi\n"
	"	lea 8(%rax), %rdx\n"
	"	mov $31, %edi\n"
	"	jmp outside_on_call\n"
	".size outside_entry, . - outside_entry\n"
	".type outside_return, @function\n"
	"	nop\n"
	"outside_return:\n"
	"	mov $15, %rax\n"
	"	syscall\n"
	".size outside_return, . - outside_return\n"
	".popsection\n");
_Static_assert(SIGSYS == 31, "as outside_entry says");

/*
 * Calls that are let through return before another thread runs, and stay where they are, as does
 * the return from a handler of the runtime's, which is on that stack.  On a hook stack that is in
 * use already (by a handler of the program's) the frame goes where the kernel would have put it.
 */
struct moved_frame outside_move_frame(siginfo_t *info, ucontext_t *context)
{
	const void *state = context->uc_mcontext.fpregs;
	uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP], top = rt_hook_top, at;
	if (!g.active || g.internal ||
	    sp - (uintptr_t)context->uc_stack.ss_sp < context->uc_stack.ss_size)
		return (struct moved_frame){ (uintptr_t)context - sizeof(uintptr_t), info };
	if (!top && sp - g.stack_low < g.stack_size)
		top = g.cur->hook.base; /* it was left by a jump */
	at = top ? top : sp - RED_ZONE;
	if (state) {
		size_t size = signal_state_size(state);
		at = (at - size) & ~63ull;
		state = rt_memcpy((void *)at, state, size);
	}
	size_t before_info = (size_t)((char *)info - (char *)context);
	at = (at - before_info - sizeof(*info)) & ~15ull;
	ucontext_t *moved = rt_memcpy((void *)at, context, before_info + sizeof(*info));
	moved->uc_mcontext.fpregs = (void *)state;
	moved->uc_link = (void *)top; /* no use to the kernel here */
	rt_hook_top = 0;
	at -= sizeof(uintptr_t);
	*(uintptr_t *)at = (uintptr_t)outside_return;
	return (struct moved_frame){ at, (siginfo_t *)((char *)moved + before_info) };
}

void outside_leave_frame(const ucontext_t *context)
{
	/* Control may have ended meanwhile: then there is one stack less. */
	if (g.active && context->uc_link)
		rt_hook_top = (uintptr_t)context->uc_link;
}
