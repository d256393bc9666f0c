/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fibers: the program's threads, all on one OS thread.
 *
 * A fiber borrows the TLS of a donor: a real thread that was created on a stack of ours at a fixed address and then
 * parks for ever.  Its thread block and static TLS lie at the top of that stack, so pthread_self, TLS and stack
 * addresses are the same in every run; the fiber's own frames grow below the donor's few.  Everything in libc that
 * asks "which thread am I" looks at the FS base, which a switch sets along with the stack pointer.
 *
 * The main thread keeps its own TLS, which constructors may have written to, and runs on the stack of slot 0.
 */
#include "rt/fiber.h"

#include <asm/prctl.h>
#include <link.h>
#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "rt/real.h"
#include "rt/ring.h"
#include "rt/sys.h"

#define DONOR_ROOM 0x4000ull	/* below the donor's frames, for a signal that glibc sends to all threads (setuid) */
#define MAIN_STACK 0x800000ull
#define THREAD_STACK 0x800000ull
#define THREADS_MAX 65536

struct donor {
	volatile uint32_t is_ready;
	volatile uint32_t must_end;
	uintptr_t fs, sp;
	pthread_t real;
	uint32_t slot;
};

static RT_STATE bool has_fsgsbase;
static RT_STATE struct thread *all_threads;	/* array of THREADS_MAX */
static RT_STATE uint32_t thread_count;
/* Slots that have become free, oldest first. */
static RT_STATE uint32_t free_slots[ARENA_SLOTS];
static RT_STATE uint32_t free_head, free_tail, slots_used;
static RT_STATE struct donor donors[ARENA_SLOTS];

static void futex_wait(volatile uint32_t *word, uint32_t value)
{
	sys4(SYS_futex, word, FUTEX_WAIT, value, 0);
}

static void futex_wake(volatile uint32_t *word)
{
	sys3(SYS_futex, word, FUTEX_WAKE, 1);
}

static uintptr_t read_fs(void)
{
	uintptr_t fs;
	__asm__("mov %%fs:0, %0" : "=r"(fs));	/* the thread block begins with its own address */
	return fs;
}

static inline void write_fs(uintptr_t fs)
{
	if (likely(has_fsgsbase))
		__asm__ volatile("wrfsbase %0" : : "r"(fs) : "memory");
	else
		sys3(SYS_arch_prctl, ARCH_SET_FS, fs, 0);
}

static void *donor_main(void *argument)
{
	struct donor *d = argument;
	d->fs = read_fs();
	d->sp = (uintptr_t)__builtin_frame_address(0);
	__atomic_store_n(&d->is_ready, 1, __ATOMIC_RELEASE);
	futex_wake(&d->is_ready);
	while (!__atomic_load_n(&d->must_end, __ATOMIC_ACQUIRE))
		futex_wait(&d->must_end, 0);
	return NULL;
}

static uintptr_t slot_base(uint32_t slot)
{
	return ARENA_STACKS + slot * ARENA_STACK_STRIDE;
}

/* Create the donor of a slot; the previous one, if any, ends first. */
static bool donor_start(uint32_t slot)
{
	struct donor *d = &donors[slot];
	pthread_attr_t attr;
	g.internal++;
	if (d->is_ready) {
		__atomic_store_n(&d->must_end, 1, __ATOMIC_RELEASE);
		futex_wake(&d->must_end);
		real_pthread_join(d->real, NULL);
		/* The next thread finds the stack as fresh as the first one did. */
		sys3(SYS_madvise, slot_base(slot), ARENA_STACK_STRIDE, MADV_DONTNEED);
	}
	*d = (struct donor){ .slot = slot };
	/* All signals go to the one thread that runs the program. */
	uint64_t all = ~0ull, before;
	sys4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &before, 8);
	real_pthread_attr_init(&attr);
	real_pthread_attr_setstack(&attr, (void *)slot_base(slot), ARENA_STACK_STRIDE);
	int failed = real_pthread_create(&d->real, &attr, donor_main, d);
	real_pthread_attr_destroy(&attr);
	sys4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &before, 0, 8);
	while (!failed && !__atomic_load_n(&d->is_ready, __ATOMIC_ACQUIRE))
		futex_wait(&d->is_ready, 0);
	g.internal--;
	return !failed;
}

static struct thread *thread_new(uint32_t slot)
{
	struct thread *t = &all_threads[thread_count];
	struct frame *frames = t->frames;
	*t = (struct thread){ .id = thread_count++, .slot = slot, .stack_id = FRAME_NEW - 1 };
	t->frames = frames ? frames : rt_map(FRAMES_MAX * sizeof(*t->frames));
	t->frames[0] = (struct frame){ .sp = UINTPTR_MAX };
	t->frame = t->frames;
	heap_prepare_slot(slot);
	return t;
}

/* Does the program want its stacks executable (nested functions of gcc)? */
static int stack_protection(void)
{
	const ElfW(Phdr) *ph = (const void *)getauxval(AT_PHDR);
	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		if (ph[i].p_type == PT_GNU_STACK && ph[i].p_flags & PF_X)
			return PROT_READ | PROT_WRITE | PROT_EXEC;
	return PROT_READ | PROT_WRITE;
}

/* The stack is as large as the program expects; all of the slot below it is guard, so that no frame jumps over. */
static void set_stack(struct thread *t, uintptr_t high, size_t size)
{
	t->stack_high = high;
	t->stack_low = high - size;
	t->guard_low = slot_base(t->slot);
	sys3(SYS_mprotect, t->guard_low, t->stack_low - t->guard_low, PROT_NONE);
	sys3(SYS_mprotect, t->stack_low, size, stack_protection());
	ev_region(t->stack_low, size, REGION_STACK, t->id);
}

static uint32_t slot_take(void)
{
	if (slots_used < ARENA_SLOTS)
		return slots_used++;
	if (free_head == free_tail)
		return UINT32_MAX;
	return free_slots[free_head++ % ARENA_SLOTS];
}

/* A first frame whose return leads to fiber_entry, which calls entry(argument). */
static void prepare_stack(struct thread *t, uintptr_t top, void (*entry)(void *), void *argument)
{
	uint64_t *sp = (uint64_t *)((top & ~15ull) - 16);	/* aligned where fiber_entry makes its call */
	*--sp = (uint64_t)fiber_entry;
	*--sp = 0;			/* rbp */
	*--sp = (uint64_t)entry;	/* rbx */
	*--sp = (uint64_t)argument;	/* r12 */
	*--sp = 0;
	*--sp = 0;
	*--sp = 0;
	sp--;
	uint32_t mxcsr;
	uint16_t control;
	__asm__("stmxcsr %0; fnstcw %1" : "=m"(mxcsr), "=m"(control));
	*sp = mxcsr | (uint64_t)control << 32;
	t->sp = sp;
}

void thread_body(void *thread) __attribute__((noreturn));	/* thread.c */

struct thread *fiber_new(void *(*start)(void *), void *arg)
{
	if (thread_count == THREADS_MAX)
		return NULL;
	uint32_t slot = slot_take();
	if (slot == UINT32_MAX || !donor_start(slot))
		return NULL;
	struct donor *d = &donors[slot];
	struct thread *t = thread_new(slot);
	t->donor = d;
	t->fs = d->fs;
	t->handle = d->real;
	t->start = start;
	t->argument = arg;
	uintptr_t top = (d->sp - DONOR_ROOM) & ~0xfffull;
	set_stack(t, top, THREAD_STACK);
	prepare_stack(t, top, thread_body, t);
	/* The donor's thread block as libc initialised it is this thread's beginning. */
	shadow_snapshot(top, slot_base(slot) + ARENA_STACK_STRIDE - top);
	ev_region(top, slot_base(slot) + ARENA_STACK_STRIDE - top, REGION_TLS, t->id);
	ev_region(ARENA_HEAP + slot * ARENA_HEAP_PART, ARENA_HEAP_PART, REGION_HEAP, t->id);
	return t;
}

void fiber_release(struct thread *t)
{
	free_slots[free_tail++ % ARENA_SLOTS] = t->slot;
}

void fiber_switch(struct thread *to)
{
	struct thread *from = g.cur;
	from->frame = g.frame;
	if (unlikely(g.late.size | to->late.size)) {
		from->late = g.late;
		g.late = to->late;
		to->late.size = 0;
	}
	from->branched = g.event_flags & EVF_BRANCH;
	from->stack_id = g.stack_id;
	g.cur = to;
	g.frame = to->frame;
	g.unsettled = g.late.size != 0;
	g.stack_id = to->stack_id;
	g.event_flags = (g.event_flags & HOT_CLOCK) | (to->branched ? EVF_BRANCH : 0) |
			(g.frame->id != g.stack_id ? HOT_NEW_STACK : 0);
	g.stack_low = to->stack_low;
	g.stack_size = to->stack_high - to->stack_low;
	write_fs(to->fs);
	fiber_swap(&from->sp, to->sp);
}

struct thread *fiber_by_handle(pthread_t handle)
{
	/* Newest first: a handle is reused with its slot. */
	for (uint32_t i = thread_count; i-- > 0;)
		if (all_threads[i].handle == handle)
			return &all_threads[i];
	return NULL;
}

void fiber_init(void)
{
	has_fsgsbase = getauxval(AT_HWCAP2) & 2;
	all_threads = rt_map(THREADS_MAX * sizeof(struct thread));
	struct thread *t = thread_new(slot_take());
	t->fs = read_fs();
	g.internal++;
	t->handle = real_pthread_self();
	g.internal--;
	set_stack(t, slot_base(0) + ARENA_STACK_STRIDE, MAIN_STACK);
	ev_region(ARENA_HEAP, ARENA_HEAP_PART, REGION_HEAP, 0);
	g.cur = t;
	g.frame = t->frame;
	g.stack_low = t->stack_low;
	g.stack_size = MAIN_STACK;
	sched_add(t);
}

static void run_entry(void *entry)
{
	((void (*)(void))entry)();
	__builtin_trap();
}

void fiber_run_main(struct thread *t, void (*entry)(void))
{
	void *abandoned;
	prepare_stack(t, t->stack_high, run_entry, (void *)entry);
	fiber_swap(&abandoned, t->sp);
	__builtin_unreachable();
}
