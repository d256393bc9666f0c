/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks and the number of the processor, where no function of libc is asked for them.
 *
 * The kernel can make the instructions that read the time stamp counter fault (PR_SET_TSC).  The
 * counter then shows virtual time in nanoseconds, like all clocks.  The kernel's own functions in
 * the process (vDSO: clock_gettime, gettimeofday, time, getcpu) read the counter too, for libc
 * itself and for libraries without hooks.  They are replaced by the system calls of these names,
 * which come to the border (outside.c) and are answered here.
 *
 * The random bytes that the kernel gives with the program's arguments (AT_RANDOM) are fixed ones.
 *
 * The setting belongs to an OS thread, and a new process or program inherits it.  So a process
 * that continues without the runtime gets it back to normal first.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/outside.h"
#include "rt/probe.h"
#include "rt/processor.h"
#include "rt/rt.h"
#include "rt/sys.h"
#include "rt/thread.h"

#define PAGE 4096ul

#define RANDOM_BYTES 16 /* at AT_RANDOM */

static RT_STATE uintptr_t vdso_start, vdso_end;

/* ---- the functions of the kernel in the process ---- */

/* mov $number, %eax; syscall; ret */
struct stub {
	uint8_t move;
	uint32_t number;
	uint8_t call[2], back;
} __attribute__((packed));

static bool replace(const char *name, uintptr_t function)
{
	static const struct {
		const char *name;
		uint32_t number;
	} replaced[] = {
		{ "__vdso_clock_gettime", SYS_clock_gettime },
		{ "__vdso_gettimeofday", SYS_gettimeofday },
		{ "__vdso_time", SYS_time },
		{ "__vdso_getcpu", SYS_getcpu },
	};
	for (unsigned i = 0; i < sizeof(replaced) / sizeof(*replaced); i++) {
		if (!rt_streq(name, replaced[i].name))
			continue;
		struct stub stub = { 0xb8, replaced[i].number, { 0x0f, 0x05 }, 0xc3 };
		rt_memcpy((void *)function, &stub, sizeof(stub));
		return true;
	}
	return false;
}

/* The dynamic symbols end where their names begin. */
static void replace_functions(uintptr_t base, const ElfW(Dyn) * dynamic)
{
	const ElfW(Sym) *symbols = NULL;
	const char *names = NULL;
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			symbols = (const void *)(base + dynamic->d_un.d_ptr);
		if (dynamic->d_tag == DT_STRTAB)
			names = (const char *)(base + dynamic->d_un.d_ptr);
	}
	if (!symbols || !names)
		return;
	for (; (const char *)(symbols + 1) <= names; symbols++)
		if (ELF64_ST_TYPE(symbols->st_info) == STT_FUNC && symbols->st_value &&
		    symbols->st_size >= sizeof(struct stub))
			replace(names + symbols->st_name, base + symbols->st_value);
}

/* The kernel gives each new program some; libc has taken what it needs of them. */
static void fix_random_bytes(void)
{
	unsigned char *at = (unsigned char *)getauxval(AT_RANDOM);
	for (unsigned i = 0; at && i < RANDOM_BYTES; i++)
		at[i] = (unsigned char)(0x9e3779b97f4a7c15ull >> i % 8 * 8 ^ i * 0x3bu);
}

static void replace_kernel_functions(void)
{
	const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	if (!header)
		return;
	const ElfW(Phdr) *segment = (const void *)((uintptr_t)header + header->e_phoff);
	const ElfW(Dyn) *dynamic = NULL;
	uintptr_t base = (uintptr_t)header;
	vdso_start = (uintptr_t)header;
	for (int i = 0; i < header->e_phnum; i++) {
		if (segment[i].p_type == PT_LOAD) {
			base = vdso_start - segment[i].p_vaddr;
			vdso_end = base + segment[i].p_vaddr + segment[i].p_memsz;
		}
		if (segment[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(vdso_start + segment[i].p_offset);
	}
	size_t size = (vdso_end - vdso_start + PAGE - 1) & ~(PAGE - 1);
	/* Where the kernel does not allow it, these functions go on showing the real time. */
	if (!dynamic || sys3(SYS_mprotect, vdso_start, size, PROT_READ | PROT_WRITE | PROT_EXEC))
		return;
	replace_functions(base, dynamic);
	sys3(SYS_mprotect, vdso_start, size, PROT_READ | PROT_EXEC);
}

void processor_init(void)
{
	fix_random_bytes();
	replace_kernel_functions();
}

/* ---- the counter ---- */

bool processor_catch(void)
{
	return !sys3(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0);
}

void processor_release(void)
{
	sys3(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0);
}

static uint64_t real_counter(void)
{
	uint32_t low, high;
	processor_release();
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	if (g.active)
		processor_catch();
	return (uint64_t)high << 32 | low;
}

/* Bytes of the instruction, if it reads the counter; 0: another one. */
static unsigned reads_counter(uintptr_t at, bool *with_processor)
{
	unsigned char code[3];
	if (!rt_load(code, (const void *)at, 2) || code[0] != 0x0f)
		return 0;
	*with_processor = code[1] == 0x01;
	if (code[1] == 0x31)
		return 2;
	return *with_processor && rt_load(code, (const void *)at, 3) && code[2] == 0xf9 ? 3 : 0;
}

bool processor_fault(void *context)
{
	ucontext_t *uc = context;
	greg_t *registers = uc->uc_mcontext.gregs;
	uintptr_t at = (uintptr_t)registers[REG_RIP];
	bool with_processor;
	unsigned size = reads_counter(at, &with_processor);
	if (!size)
		return false;
	bool is_outside = !g.active || g.internal || module_is_loader(at) ||
			  (at >= vdso_start && at < vdso_end);
	uint64_t count;
	if (is_outside) {
		count = real_counter();
	} else {
		pc_t pc = rt_is_libc_code(at) ? g.hook_pc : at + size;
		if (g.unsettled && !g.late.size)
			rt_settle();
		left_frame_left_at((uintptr_t)registers[REG_RSP]);
		count = clock_show(CLOCK_MONOTONIC, pc);
	}
	registers[REG_RAX] = (greg_t)(count & UINT32_MAX);
	registers[REG_RDX] = (greg_t)(count >> 32);
	if (with_processor)
		registers[REG_RCX] = 0;
	registers[REG_RIP] += size;
	return true;
}

/* ---- system calls ---- */

static long fill(long to, const void *from, size_t n)
{
	if (!to)
		return 0;
	if (!rt_can_read((const void *)to, n))
		return -EFAULT;
	rt_memcpy((void *)to, from, n);
	return 0;
}

static struct timespec now(clockid_t id)
{
	const uint64_t second = 1000000000;
	uint64_t ns = clock_show(id, g.hook_pc);
	return (struct timespec){ .tv_sec = (time_t)(ns / second), .tv_nsec = (long)(ns % second) };
}

long processor_call(const struct call *c)
{
	static const uint32_t first = 0;
	static const struct timezone zone;
	if (!g.active)
		return call_perform(c);
	struct timespec at = { 0 };
	if (c->nr != SYS_getcpu)
		at = now(c->nr == SYS_clock_gettime ? (clockid_t)c->arg[0] : CLOCK_REALTIME);
	struct timeval day = { at.tv_sec, at.tv_nsec / 1000 };
	long failed;
	switch (c->nr) {
	case SYS_clock_gettime:
		if (c->arg[0] > CLOCK_TAI)
			return -EINVAL;
		return c->arg[1] ? fill(c->arg[1], &at, sizeof(at)) : -EFAULT;
	case SYS_gettimeofday:
		failed = fill(c->arg[0], &day, sizeof(day));
		return failed ? failed : fill(c->arg[1], &zone, sizeof(zone));
	case SYS_time:
		failed = fill(c->arg[0], &at.tv_sec, sizeof(at.tv_sec));
		return failed ? failed : at.tv_sec;
	default: /* getcpu: all threads share one processor */
		failed = fill(c->arg[0], &first, sizeof(first));
		return failed ? failed : fill(c->arg[1], &first, sizeof(first));
	}
}
