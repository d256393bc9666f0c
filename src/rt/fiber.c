/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's threads as the controlled runtime runs them: their stacks, and the switch from
 * one to another.
 *
 * A thread's stack lies in a slot at a fixed address.  At its top are the thread block and static
 * TLS of a donor, a real thread (donor.c), and below the donor's few frames the thread's own.
 * Everything in libc that asks "which thread am I" looks at the FS base.  With fibers a switch
 * sets it along with the stack pointer; with real threads it never changes, and a switch hands
 * control over from one to the other.
 *
 * The main thread keeps its own TLS, which constructors may have written to, and runs on the
 * stack of slot 0.
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/chunk.h"
#include "rt/donor.h"
#include "rt/event.h"
#include "rt/fiber.h"
#include "rt/frame_fill.h"
#include "rt/heap.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/signals.h"
#include "rt/stack.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/accesses.h"
#include "wire/wire.h"

#include <asm/prctl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

/* below the donor's frames, for a signal that glibc sends to all threads (setuid) */
#define DONOR_ROOM 0x4000ull
#define MAIN_STACK 0x800000ull
#define LARGE_STACKS \
	(ARENA_STACKS + ARENA_SLOTS * ARENA_STACK_STRIDE) /* for those that exceed their slot */
#define LARGE_STACK_STRIDE 0x40000000ull
/*
 * Hook stacks begin at different offsets in a page: with the same, what one thread reads when it
 * goes on would look to the processor, which compares the low bits first, like what the one
 * before it has just written.
 */
#define HOOK_SHIFTS 16u
#define HOOK_SHIFT 256u
#define HOOK_SPACE (HOOK_ROOM + HOOK_SHIFTS * HOOK_SHIFT)
#define GUARD (HOOK_SPACE + 0x1000ull)
#define END_ROOM 0x10000ull /* of its slot, for a thread that leaves a stack of the program's */
#define THREADS_MAX 65536
/* Of a stack, below its innermost function with hooks: by the runtime; by libraries and the
 * frames of signals. */
#define USED_BY_RUNTIME 0x1000ull
#define USED_BY_LIBRARY 0x4000ull

RT_STATE uintptr_t rt_hook_base;
RT_STATE bool fiber_has_foreign_stacks;
static RT_STATE bool has_fsgsbase;
static RT_STATE bool has_odd_stacks;	    /* outside their slots */
static RT_STATE struct thread *all_threads; /* array of THREADS_MAX */
static RT_STATE uint32_t thread_count;
/* Slots that have become free, oldest first. */
static RT_KEPT uint32_t free_slots[ARENA_SLOTS];
static RT_STATE uint32_t free_head, free_tail, slots_used;
static RT_STATE fiber_switcher *switch_stacks; /* fiber_swap or fiber_hand_over */

static inline void write_fs(uintptr_t fs)
{
	if (likely(has_fsgsbase))
		__asm__ volatile("wrfsbase %0" : : "r"(fs) : "memory");
	else
		sys3(SYS_arch_prctl, ARCH_SET_FS, fs, 0);
}

static uintptr_t slot_base(uint32_t slot)
{
	return ARENA_STACKS + slot * ARENA_STACK_STRIDE;
}

static struct thread *thread_new(uint32_t slot)
{
	struct thread *t = &all_threads[thread_count];
	struct frame *frames = t->calls.frames;
	struct store_buffer *buffer = t->stores.buffer;
	struct await *await = t->spin.await;
	struct repeat *repeat = t->spin.repeat;
	struct rounds *rounds = t->spin.rounds;
	*t = (struct thread){ .id = thread_count++,
			      .slot = slot,
			      .calls.id = FRAME_NEW - 1,
			      .calls.chunk_id = FRAME_NEW - 1,
			      .saved.site = chunk_first_site(),
			      .stack.lowest_sp = UINTPTR_MAX };
	t->calls.frames = frames ? frames : rt_map_kept(FRAMES_MAX * sizeof(*t->calls.frames));
	t->calls.frames[0] = (struct frame){ .sp = UINTPTR_MAX };
	t->calls.innermost = t->calls.frames;
	t->stores.buffer = buffer;
	buffer_prepare(t);
	t->spin.await = await;
	t->spin.repeat = repeat;
	t->spin.rounds = rounds;
	await_prepare(t);
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

/* The stack is as large as the program expects; all that is ours below it is guard, so that no
 * frame jumps over. */
static void set_stack(struct thread *t, uintptr_t low, uintptr_t high, size_t size)
{
	t->stack.high = high;
	t->stack.low = high - size;
	t->stack.guard_low = low;
	t->hook.top = t->hook.base = t->stack.low - t->slot % HOOK_SHIFTS * HOOK_SHIFT;
	ev_region(t->stack.low, size, REGION_STACK, t->id);
	struct donor *d = donor_of(t->slot);
	if (d->fresh && d->stack_size == size)
		return; /* as an earlier execution left it */
	d->stack_size = size;
	sys3(SYS_mprotect, t->stack.guard_low, t->stack.low - HOOK_SPACE - t->stack.guard_low,
	     PROT_NONE);
	sys3(SYS_mprotect, t->stack.low - HOOK_SPACE, HOOK_SPACE + size, stack_protection());
}

/* A stack of the wanted kind, with `top` the end of what is free in the thread's slot; it is not
 * larger than ours can be. */
static void give_stack(struct thread *t, uintptr_t top, const struct stack_request *want)
{
	size_t size = (want->size + 0xfff) & ~0xfffull;
	uintptr_t slot = slot_base(t->slot), large = LARGE_STACKS + t->slot * LARGE_STACK_STRIDE;
	t->stack.guard_size = want->guard;
	t->stack.slot_top = top;
	if (want->address) {
		sys3(SYS_mprotect, top - END_ROOM, END_ROOM, PROT_READ | PROT_WRITE);
		t->stack.is_own = fiber_has_foreign_stacks = true;
		has_odd_stacks = true;
		t->stack.low = want->address;
		/* nothing guards it but the hooks */
		t->stack.guard_low = t->stack.low - HOOK_ROOM;
		t->hook.top = t->hook.base = top - END_ROOM;
		sys3(SYS_mprotect, t->hook.top - HOOK_ROOM, HOOK_ROOM, PROT_READ | PROT_WRITE);
		/* what it is part of has a name already */
		t->stack.high = want->address + want->size;
	} else if (size <= top - slot - GUARD) {
		set_stack(t, slot, top, size);
	} else {
		has_odd_stacks = true;
		sys3(SYS_madvise, large, LARGE_STACK_STRIDE, MADV_DONTNEED);
		set_stack(t, large, large + LARGE_STACK_STRIDE, size);
	}
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
	/* aligned where fiber_entry makes its call */
	uint64_t *sp = (uint64_t *)((top & ~15ull) - 16);
	*--sp = (uint64_t)fiber_entry;
	*--sp = 0;		    /* rbp */
	*--sp = (uint64_t)entry;    /* rbx */
	*--sp = (uint64_t)argument; /* r12 */
	*--sp = 0;
	*--sp = 0;
	*--sp = 0;
	sp--;
	uint32_t mxcsr;
	uint16_t control;
	__asm__("stmxcsr %0; fnstcw %1" : "=m"(mxcsr), "=m"(control));
	*sp = mxcsr | (uint64_t)control << 32;
	t->context.sp = sp;
}

void thread_body(void *thread) __attribute__((noreturn)); /* thread.c */
/* On the hook stack: what libc leaves there when it makes the donor is not the program's. */
struct thread *fiber_new_here(void *(*start)(void *), void *arg, const struct stack_request *stack);

uint32_t fiber_threads_made(void)
{
	return thread_count;
}

struct thread *fiber_new_here(void *(*start)(void *), void *arg, const struct stack_request *stack)
{
	if (thread_count == THREADS_MAX ||
	    (!stack->address && stack->size > LARGE_STACK_STRIDE - GUARD))
		return NULL;
	uint32_t slot = slot_take();
	if (slot == UINT32_MAX)
		return NULL;
	struct thread *t = thread_new(slot);
	struct donor *d = donor_start(slot, t);
	if (!d) {
		thread_count--;
		return NULL;
	}
	t->context.fs = d->fs;
	t->handle = d->real;
	t->start = start;
	t->argument = arg;
	uintptr_t top = (d->sp - DONOR_ROOM) & ~0xfffull;
	give_stack(t, top, stack);
	prepare_stack(t, t->stack.high, thread_body, t);
	/* The donor's thread block as libc initialised it is this thread's beginning. */
	uintptr_t block = g.exploring ? d->sp : top;
	shadow_snapshot(block, slot_base(slot) + ARENA_STACK_STRIDE - block);
	ev_region(top, slot_base(slot) + ARENA_STACK_STRIDE - top, REGION_TLS, t->id);
	ev_region(ARENA_HEAP + slot * ARENA_HEAP_PART, ARENA_HEAP_PART, REGION_HEAP, t->id);
	return t;
}

void fiber_leave_stack(void (*next)(void *))
{
	prepare_stack(g.cur, g.cur->stack.slot_top, next, g.cur);
	fiber_start(g.cur->context.sp);
}

void fiber_release(struct thread *t)
{
	t->handle = 0;
	free_slots[free_tail++ % ARENA_SLOTS] = t->slot;
}

/* Word by word, as the hooks write it: a longer load so soon after them would have to wait for
 * their stores. */
static inline void copy_seen(struct access_thread *to, const struct access_thread *from)
{
	to->address = from->address;
	to->pointer = from->pointer;
	to->value = from->value;
}

static inline void __attribute__((always_inline)) change_threads(struct thread *to)
{
	struct thread *from = g.cur;
	if (buffer_is_on())
		buffer_switch(from, to);
	from->calls.innermost = g.frame;
	if (unlikely(g.late.size | to->saved.late.size)) {
		from->saved.late = g.late;
		g.late = to->saved.late;
		to->saved.late.size = 0;
	}
	from->saved.branched = g.branched;
	from->saved.path = g.path;
	from->calls.id = g.stack_id;
	from->calls.chunk_id = g.chunk_stack_id;
	from->saved.site = g.site;
	copy_seen(&from->saved.seen, &g.seen);
	from->context.left = rt_program;
	rt_program = to->context.left;
	from->hook.top = rt_hook_top;
	rt_hook_top = to->hook.top;
	g.cur = to;
	g.frame = to->calls.innermost;
	g.stack_id = to->calls.id;
	g.chunk_stack_id = to->calls.chunk_id;
	g.site = to->saved.site;
	copy_seen(&g.seen, &to->saved.seen);
	g.branched = to->saved.branched;
	g.path = to->saved.path;
	rt_set_first((g.slow & (HOT_CLOCK | HOT_SLOW)) |
			     (g.frame->id != g.chunk_stack_id ? HOT_NEW_STACK : 0),
		     unlikely(g.late.size) ? UNSETTLED_OTHER : 0);
	g.stack_low = to->stack.low;
	g.stack_size = to->stack.high - to->stack.low;
	rt_hook_base = to->hook.base;
	if (unlikely(from->signals.mask != to->signals.mask))
		signal_mirror_mask(to);
	if (unlikely(donor_runs_thread))
		donor_before_switch(to);
	else
		write_fs(to->context.fs);
	/* One call for both ways, so that what it leaves on the stack is the same. */
	switch_stacks(&from->context.sp, to->context.sp, &from->context.turn, &to->context.turn);
	if (unlikely(donor_runs_thread))
		donor_after_switch(from);
}

void fiber_switch(struct thread *to)
{
	change_threads(to);
}

void fiber_switch_recorded(struct thread *to, enum switch_why why)
{
	chunk_switch(to->id, why);
	change_threads(to);
}

struct thread *fiber_by_stack(uintptr_t p)
{
	for (uint32_t i = thread_count; i-- > 0;)
		if (p >= all_threads[i].stack.low && p < all_threads[i].stack.high)
			return &all_threads[i];
	return NULL;
}

struct thread *fiber_by_handle(pthread_t handle)
{
	/* Newest first: a handle is reused with its slot. */
	for (uint32_t i = thread_count; i-- > 0;)
		if (all_threads[i].handle == handle)
			return &all_threads[i];
	return NULL;
}

/*
 * The stack protector's random value, of which functions of libraries leave copies on the stack,
 * where the program may read them.  New threads inherit it.  No frame of this stack returns any
 * more, so the old one is not needed.
 */
static void fix_stack_guard(void)
{
	__asm__ volatile("movq %0, %%fs:0x28" : : "r"(0x656c646465680000ull));
}

void fiber_init(void)
{
	frame_fill_init();
	fix_stack_guard();
	has_fsgsbase = getauxval(AT_HWCAP2) & 2;
	all_threads = rt_map(THREADS_MAX * sizeof(struct thread));
	struct thread *t = thread_new(slot_take());
	t->context.fs = donor_read_fs();
	donor_init(t);
	switch_stacks = donor_runs_thread ? fiber_hand_over : fiber_swap;
	g.internal++;
	t->handle = real_pthread_self();
	g.internal--;
	set_stack(t, slot_base(0), slot_base(0) + ARENA_STACK_STRIDE, MAIN_STACK);
	ev_region(ARENA_HEAP, ARENA_HEAP_PART, REGION_HEAP, 0);
	g.cur = t;
	g.frame = t->calls.innermost;
	g.stack_low = t->stack.low;
	g.stack_size = MAIN_STACK;
	rt_hook_base = t->hook.base;
	sched_add(t);
}

static void run_entry(void *entry)
{
	((void (*)(void))entry)();
	__builtin_trap();
}

void fiber_run_main(struct thread *t, void (*entry)(void))
{
	prepare_stack(t, t->stack.high, run_entry, (void *)entry);
	rt_hook_top = t->hook.top;
	fiber_start(t->context.sp);
}

/* ---- restart in place (explore_snapshot.h) ---- */

void fiber_pool(uint32_t count)
{
	for (uint32_t slot = slots_used; slot < slots_used + count && slot < ARENA_SLOTS; slot++)
		if (!donor_pool(slot, &all_threads[slot]))
			return;
}

uint32_t fiber_slots_used(void)
{
	return slots_used;
}

/* If every thread had a stack in its slot and a donor that was there before. */
bool fiber_can_rewind(void)
{
	for (uint32_t slot = 1; slot < slots_used; slot++)
		if (!donor_of(slot)->fresh)
			return false;
	return !has_odd_stacks && free_head == 0;
}

void fiber_rewind(void)
{
	for (uint32_t i = 0; i < thread_count; i++) {
		const struct thread *t = &all_threads[i];
		uintptr_t low =
			t->stack.lowest_sp < t->stack.high ? t->stack.lowest_sp : t->stack.high;
		uintptr_t below = t->library.were_made ? USED_BY_LIBRARY : USED_BY_RUNTIME;
		low = low - t->stack.low > below ? low - below : t->stack.low;
		rt_memset((void *)low, 0, t->stack.high - low);
		rt_memset((void *)SHADOW(low), 0, t->stack.high - low);
		donor_of(t->slot)->is_free = t->slot != 0;
	}
	rt_threads_live[0] = &all_threads[0];
	all_threads[0].live_index = 0;
	buffer_prepare(&all_threads[0]);
}

void fiber_go_to(void (*entry)(void *), uintptr_t stack_top)
{
	struct thread here = { 0 };
	write_fs(all_threads[0].context.fs);
	prepare_stack(&here, stack_top, entry, NULL);
	rt_hook_top = 0;
	fiber_start(here.context.sp);
}
