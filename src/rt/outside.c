/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls: caught, recorded, or answered from the record; see outside.h.
 *
 * The kernel sends SIGSYS for a call from any code but the runtime's own section while the
 * selector says so. The handler runs on the thread's hook stack (outside_frame.c) and may give
 * the processor to other threads, since nothing about a handler is kept outside that stack; it
 * returns with the call's result in place. Three kinds of code are let through: the runtime's own
 * use of libc (g.internal), which may create threads and so repeats the call itself with the
 * selector open; the dynamic linker, whose files are part of the program; and what runs before
 * control begins or after it ended.
 *
 * In a replay the numbers of descriptors are the recorded ones and mean nothing to the kernel, so
 * the border stays closed after the end of control too: libc flushes its streams then.
 */
#include "rt/buffer.h"
#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/libc_refused.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/probe.h"
#include "rt/processor.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <ucontext.h>

#define DISPATCH_ON 1	/* of PR_SET_SYSCALL_USER_DISPATCH */
#define FROM_DISPATCH 2 /* si_code of its signal */
#define RESTORER 0x04000000ul
#define SYSCALL_BYTES 2	      /* length of the instruction */
#define TERMINAL_KIND 0xfff00 /* of a device number: which driver, without which of its devices */

extern char __start_heddle_text[], __stop_heddle_text[];

RT_STATE volatile char outside_selector, outside_closed;

static RT_STATE bool replays;
static RT_STATE uintptr_t linker_start, linker_end;
static RT_STATE const char *record_at, *record_end;

long call_perform(const struct call *c)
{
	g.session->sleep_allowed++;
	long result = sys6(c->nr, c->arg[0], c->arg[1], c->arg[2], c->arg[3], c->arg[4], c->arg[5]);
	g.session->sleep_allowed--;
	return result;
}

/* ---- the record ---- */

void outside_answered(const struct call *c, int64_t value)
{
	ev_sync(EV_INPUT, 0, 0, (uint64_t)value, (uint64_t)c->nr, g.hook_pc);
}

void outside_keep(struct call *c, void *p, size_t n)
{
	(void)c;
	for (size_t done = 0, piece; done < n; done += piece) {
		piece = n - done < WIRE_MAX_DATA ? n - done : WIRE_MAX_DATA;
		ev_data(EV_INPUT_DATA, 0, 0, (const char *)p + done, piece, g.hook_pc);
	}
}

/* NULL at its end.  What is there has been checked by the tool; bounds are looked at all the same.
 */
static const struct wire_input *record_next(void)
{
	const struct wire_input *r = (const void *)record_at;
	size_t left = (size_t)(record_end - record_at);
	if (left < sizeof(*r) || r->len > left - sizeof(*r))
		return NULL;
	return r;
}

static void record_pass(const struct wire_input *r)
{
	record_at += sizeof(*r) + ((r->len + 7) & ~7ull);
	if (record_at > record_end)
		record_at = record_end;
}

/* The recorded run ended here, or went on in another way. */
static void no_match(const struct call *c, const struct wire_input *r, enum wire_divergence reason)
{
	struct wire_session *s = g.session;
	if (!r && !g.events_left)
		/* one too many: ends the replay */
		ev_sync(EV_INPUT, 0, 0, 0, (uint64_t)c->nr, g.hook_pc);
	s->diverged_call = (uint32_t)c->nr;
	s->diverged_wanted = r ? r->call : WIRE_NO_CALL;
	s->diverged_thread = r ? r->thread : 0;
	sched_diverged(reason);
}

int64_t outside_recall(const struct call *c)
{
	for (;;) {
		const struct wire_input *r = record_next();
		if (!r || r->thread != g.cur->id || r->call != c->nr || r->kind == EV_INPUT_DATA)
			no_match(c, r, DIVERGED_INPUT);
		record_pass(r);
		if (r->kind == EV_INPUT)
			return r->value;
		ev_sync(r->kind, 0, 0, (uint64_t)r->value, (uint64_t)c->nr, g.hook_pc);
		g.slow |= HOT_CLOCK;
		if (r->kind == EV_IO_TIME)
			clock_join(&g.cur->time, (uint64_t)r->value);
		else
			outside_sleep(NULL, 0, NO_DEADLINE);
	}
}

void outside_feed(struct call *c, void *p, size_t n)
{
	for (size_t done = 0, piece; done < n; done += piece) {
		piece = n - done < WIRE_MAX_DATA ? n - done : WIRE_MAX_DATA;
		const struct wire_input *r = record_next();
		if (!r || r->kind != EV_INPUT_DATA || r->len != piece)
			no_match(c, r, DIVERGED_INPUT_SIZE);
		rt_memcpy((char *)p + done, r + 1, piece);
		record_pass(r);
		ev_data(EV_INPUT_DATA, 0, 0, (const char *)p + done, piece, g.hook_pc);
	}
}

bool outside_is_next(const struct thread *t)
{
	const struct wire_input *r = replays ? record_next() : NULL;
	return r && r->thread == t->id;
}

bool outside_replays(void)
{
	return replays;
}

/* ---- the calls ---- */

/*
 * stdio asks what a descriptor is before its first use.  It wants to know the kind and the block
 * size; identity and times would make every trace of a program that prints different.
 */
static void forget_identity(const struct call *c)
{
	bool is_by_number =
		c->nr == SYS_fstat || (c->nr == SYS_newfstatat && c->arg[3] & AT_EMPTY_PATH);
	if (!is_by_number || c->result || !g.cur->library.in_stream)
		return;
	struct stat *st = (struct stat *)c->arg[c->nr == SYS_fstat ? 1 : 2];
	struct stat plain = { .st_mode = st->st_mode, .st_blksize = st->st_blksize };
	if (S_ISREG(st->st_mode) && !descriptor_outlet((int)c->arg[0]))
		plain.st_size = st->st_size;
	if (S_ISCHR(st->st_mode))
		plain.st_rdev = st->st_rdev & TERMINAL_KIND;
	*st = plain;
}

static void record_call(struct call *c)
{
	c->result = wait_and_perform(c);
	outside_replace_random(c);
	if (g.exploring)
		explore_made(c);
	forget_identity(c);
	outside_answered(c, c->result);
	call_outputs(c, outside_keep);
	outside_put(c);
	descriptors_follow(c);
}

static void feed_call(struct call *c, enum call_class class)
{
	c->result = outside_recall(c);
	outside_answered(c, c->result);
	call_outputs(c, outside_feed);
	if (class == CLASS_OUTPUT || class == CLASS_WAIT_OUT)
		outside_show(c);
	outside_put(c);
	descriptors_follow(c);
}

/* SIGSYS must neither be blocked nor get another handler, or the next call would kill the process.
 */
static long signal_call(const struct call *c)
{
	struct call changed = *c;
	uint64_t set;
	if (c->nr == SYS_rt_sigaction && c->arg[0] == SIGSYS && c->arg[1])
		return 0;
	if (c->nr == SYS_rt_sigprocmask && c->arg[1] && c->arg[0] != SIG_UNBLOCK) {
		if (!rt_load(&set, (const void *)c->arg[1], sizeof(set)))
			return -EFAULT;
		set &= ~(1ull << (SIGSYS - 1));
		changed.arg[1] = (long)&set;
	}
	return call_perform(&changed);
}

/*
 * A new process goes on uncontrolled, and a replay goes on without it.  Calls that give the child
 * another stack would have to be made by the caller's own instruction.
 */
static void fork_call(struct call *c)
{
	if (c->nr == SYS_clone && (c->arg[0] & CLONE_VM || c->arg[1]))
		libc_refuse("clone with shared memory", g.hook_pc);
	if (replays) {
		feed_call(c, CLASS_FORKS);
		return;
	}
	c->result = call_perform(c);
	if (!c->result) {
		processor_release();
		return; /* the child; dispatch is off there */
	}
	outside_answered(c, c->result);
	descriptors_follow(c);
}

/* The number of the process is the recorded one, as far as the program knows; in a replay
 * no other process gets the signal. */
static void kill_call(struct call *c)
{
	pid_t told = descriptors_seen_pid(), self = (pid_t)sys3(SYS_getpid, 0, 0, 0);
	bool hits_self = c->arg[0] == self || (told && c->arg[0] == told);
	if (hits_self) {
		c->arg[0] = self;
		if (c->nr == SYS_tgkill && told && c->arg[1] == told)
			c->arg[1] = self;
		c->result = call_perform(c);
	} else if (replays) {
		feed_call(c, CLASS_KILLS);
	} else {
		record_call(c);
	}
}

static void controlled_call(struct call *c)
{
	enum call_class class = call_class(c->nr);
	if (g.exploring && explore_call(c))
		return;
	switch (class) {
	case CLASS_UNKNOWN:
		libc_refuse_call(c->nr, g.hook_pc);
	case CLASS_MODEL:
		c->result = processor_call(c);
		return;
	case CLASS_ABSENT:
		c->result = -ENOSYS;
		return;
	case CLASS_PASS:
		c->result = call_perform(c);
		return;
	case CLASS_SIGNALS:
		c->result = signal_call(c);
		return;
	case CLASS_KILLS:
		kill_call(c);
		return;
	case CLASS_FORKS:
		fork_call(c);
		return;
	case CLASS_MAPS:
		if (c->arg[3] & MAP_ANONYMOUS)
			c->result = call_perform(c);
		else
			outside_map(c);
		return;
	default:
		call_prepare(c);
		if (replays)
			feed_call(c, class);
		else
			record_call(c);
		return;
	}
}

/* Control has ended, in a replay: what is left are streams that libc flushes and destructors. */
static void late_call(struct call *c)
{
	switch (call_class(c->nr)) {
	case CLASS_OUTPUT:
	case CLASS_WAIT_OUT:
		c->result = c->nr == SYS_write ? c->arg[2] : -EBADF;
		outside_show(c);
		break;
	case CLASS_PASS:
	case CLASS_SIGNALS:
	case CLASS_KILLS:
	case CLASS_FORKS:
	case CLASS_MODEL:
		c->result = call_perform(c);
		break;
	case CLASS_MAPS:
		c->result = c->arg[3] & MAP_ANONYMOUS ? call_perform(c) : -EBADF;
		break;
	default:
		c->result = -EBADF;
		break;
	}
}

static void return_from(uintptr_t frame) __attribute__((noreturn));

/* The program's handler returns by libc's code; do it for it, from the frame that it left. */
static void return_from(uintptr_t frame)
{
	__asm__ volatile("mov %0, %%rsp\n\tjmp outside_return" : : "r"(frame) : "memory");
	__builtin_unreachable();
}

void outside_on_call(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *regs = uc->uc_mcontext.gregs;
	uintptr_t pc = (uintptr_t)regs[REG_RIP];
	if (info->si_code != FROM_DISPATCH) {
		failure_on_signal(signal, info, context);
		outside_leave_frame(uc);
		return;
	}
	struct call c = { .nr = regs[REG_RAX],
			  .arg = { regs[REG_RDI], regs[REG_RSI], regs[REG_RDX], regs[REG_R10],
				   regs[REG_R8], regs[REG_R9] } };
	if (c.nr == SYS_rt_sigreturn) {
		outside_leave_frame(uc);
		return_from((uintptr_t)regs[REG_RSP]);
	}
	bool is_linker = pc >= linker_start && pc < linker_end;
	if (!is_linker && (g.internal || (!g.active && !replays))) {
		outside_selector = 0;
		regs[REG_RIP] -= SYSCALL_BYTES;
		outside_leave_frame(uc);
		return;
	}
	if (is_linker) {
		c.result = call_perform(&c);
	} else if (!g.active) {
		late_call(&c);
	} else {
		struct thread *self = g.cur;
		uintptr_t outer = self->io.call_sp;
		if (g.unsettled && !g.late.size)
			rt_settle();
		buffer_empty(); /* the kernel synchronises */
		self->io.call_sp = (uintptr_t)uc;
		left_frame_left_at((uintptr_t)uc->uc_mcontext.gregs[REG_RSP]);
		self->library.were_made = true;
		controlled_call(&c);
		self->io.call_sp = outer;
	}
	regs[REG_RAX] = c.result;
	outside_leave_frame(uc);
}

/* ---- the beginning ---- */

static int find_linker(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (info->dlpi_addr != getauxval(AT_BASE))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t end =
			info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && end > linker_end)
			linker_end = end;
	}
	linker_start = info->dlpi_addr;
	return 1;
}

static void map_record(void)
{
	const struct wire_session *s = g.session;
	long at = sys6(SYS_mmap, (long)RT_INPUTS, (long)s->inputs_size, PROT_READ,
		       MAP_PRIVATE | MAP_FIXED_NOREPLACE, s->inputs_fd, 0);
	if (s->inputs_size < WIRE_INPUTS_START || (unsigned long)at > -4096ul)
		rt_fatal("the inputs that heddle passed to the program cannot be mapped");
	sys3(SYS_close, s->inputs_fd, 0, 0);
	record_at = (const char *)at + WIRE_INPUTS_START;
	record_end = (const char *)at + s->inputs_size;
	replays = true;
}

bool outside_attach_thread(void)
{
	uintptr_t start = (uintptr_t)__start_heddle_text,
		  size = (uintptr_t)__stop_heddle_text - start;
	return !sys6(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, (long)start, (long)size,
		     (long)&outside_selector, 0);
}

void outside_init(void)
{
	if (g.session->inputs_size)
		map_record();
	descriptors_init();
	processor_init();
	if (!processor_catch())
		ev_note("this kernel cannot make reads of the processor's counter (rdtsc) fault "
			"(PR_SET_TSC): they show real time");
	g.internal++;
	real_dl_iterate_phdr(find_linker, NULL);
	g.internal--;
	/* The kernel's form of struct sigaction. */
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} action = { (void *)outside_entry, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | RESTORER,
		     (void *)outside_return, 0 };
	sys4(SYS_rt_sigaction, SIGSYS, &action, 0, 8);
	if (outside_attach_thread())
		outside_closed = 1;
	else if (replays)
		rt_fatal("this kernel cannot hand system calls to a program "
			 "(PR_SET_SYSCALL_USER_DISPATCH), "
			 "which a replay needs");
	else
		ev_note("this kernel cannot hand system calls to the program "
			"(PR_SET_SYSCALL_USER_DISPATCH): "
			"what comes from outside is not recorded");
	outside_selector = outside_closed;
}

void outside_end(void)
{
	processor_release();
	if (!replays)
		outside_selector = outside_closed = 0;
}
