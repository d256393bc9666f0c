/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers for faults.  The kernel calls the runtime on a stack of its own, where no code of the
 * program may run: it could be preempted, and another thread could fault meanwhile.  So the
 * kernel's frame is copied to the stack of the thread (its hook stack if the fault was in a
 * hook), below everything that lives there, and the thread goes on in fault_entry, which calls
 * the handler like any other and then returns to the kernel with the copy, as the kernel's own
 * trampoline does.
 *
 * The fault is a finding if the handler ends the process or comes back to the same fault; a
 * handler that repairs or jumps away is the program's way to go on.
 */
#include "rt/failure.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/mem.h"
#include "rt/rt.h"
#include "rt/signals.h"
#include "rt/thread.h"

struct fault_frame {
	ucontext_t context; /* as the kernel laid it out; first, for fault_return */
	siginfo_t info;
};

void fault_entry(void); /* signal.S: fault_body(rdi) */
void fault_return(struct fault_frame *f) __attribute__((noreturn));
void fault_body(struct fault_frame *f) __attribute__((noreturn));

void fault_body(struct fault_frame *f)
{
	struct thread *self = g.cur;
	signal_call_handler(&f->info, &f->context);
	self->fault.signal = 0;
	self->fault.hooks = rt_hooks();
	self->fault.at = (uintptr_t)f->context.uc_mcontext.gregs[REG_RIP];
	fault_return(f);
}

/* Of FXSAVE; its reserved end tells whether more follows. */
#define PLAIN_STATE 512
#define STATE_NOTE 464

size_t signal_state_size(const void *state)
{
	const struct _fpx_sw_bytes *note = (const void *)((const char *)state + STATE_NOTE);
	return note->magic1 == FP_XSTATE_MAGIC1 ? note->extended_size : PLAIN_STATE;
}

bool signal_fault(const siginfo_t *info, void *context, pc_t pc)
{
	struct thread *self = g.cur;
	ucontext_t *uc = context;
	greg_t *registers = uc->uc_mcontext.gregs;
	void (*handler)(int) = signal_action(info->si_signo)->sa_handler;
	if (handler == SIG_DFL || handler == SIG_IGN ||
	    self->signals.mask & signal_bit(info->si_signo))
		return false;
	/* It came back, nothing has changed, and it would be called for ever. */
	if (self->fault.at == (uintptr_t)registers[REG_RIP] && self->fault.hooks == rt_hooks())
		return false;
	const void *state = uc->uc_mcontext.fpregs;
	uintptr_t at = (uintptr_t)registers[REG_RSP] - RED_ZONE, low = self->stack.low,
		  high = self->stack.high;
	uintptr_t room = sizeof(struct fault_frame) + (state ? signal_state_size(state) : 0) + 256;
	if (is_on_hook_stack(&self->hook, at)) {
		/* In a hook, whose frames may differ in a replay: below all that they can be. */
		low = self->hook.base - HOOK_ROOM;
		high = self->hook.base;
		if (at > high - RUNTIME_ROOM)
			at = high - RUNTIME_ROOM;
	}
	if (at - room < low || at > high)
		return false;
	void *state_copy = NULL;
	if (state) {
		at = (at - signal_state_size(state)) & ~63ull;
		state_copy = (void *)at;
		rt_memcpy(state_copy, state, signal_state_size(state));
	}
	struct fault_frame *f = (void *)((at - sizeof(*f)) & ~15ull);
	f->context = *uc;
	f->context.uc_mcontext.fpregs = state_copy;
	f->info = *info;
	self->fault.signal = info->si_signo;
	self->fault.addr = (uintptr_t)info->si_addr;
	self->fault.pc = pc;
	g.hook_pc = pc;
	registers[REG_RIP] = (greg_t)fault_entry;
	registers[REG_RSP] = (greg_t)f;
	registers[REG_RDI] = (greg_t)f;
	registers[REG_EFL] &= ~0x400ll; /* direction flag, as the ABI wants it */
	return true;
}

void signal_fault_ends(void)
{
	struct thread *self = g.cur;
	if (!self->fault.signal)
		return;
	bool has_address = self->fault.signal == SIGSEGV || self->fault.signal == SIGBUS;
	rt_finding(FAIL_SIGNAL, has_address ? self->fault.addr : 0, (uint64_t)self->fault.signal,
		   self->fault.pc);
	self->fault.signal = 0;
}
