/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Donors: the real threads behind the program's threads.
 *
 * A donor is created on the stack of a slot, at a fixed address, so that its thread block and
 * static TLS, which libc puts at the top, have the same addresses in every run.  What the
 * program's thread does begins DONOR_ROOM below the donor's own few frames, in either backend:
 *
 * fibers    the donor parks for ever and lends its thread block; the main thread runs all threads'
 *           code, on their stacks, with the FS base set to the donor's
 * threads   the donor itself continues on that stack when its thread is chosen for the first
 *           time.  Control is handed over by futex: fiber_hand_over (fiber.S) saves the same
 *           registers at the same place as fiber_swap, signals the next thread that it is its
 *           turn, and sleeps until its own comes.  Exactly one runs at any time, the others are
 *           inside that function.
 *
 * So stacks, thread blocks and everything that the runtime keeps are the same, byte for byte, and
 * a schedule gives the same trace with both.
 *
 * Signals that are sent to the process must reach the thread that runs: all others block
 * everything, and the mask of the one that hands over becomes that of the next, as if there were
 * one thread only.
 *
 * A thread that has ended stays parked until its slot is needed again; then it leaves by longjmp
 * through the frame of donor_main, whatever frames of the program lie between, and returns to
 * libc.  longjmp, unlike a switch of stacks, is right with a shadow stack too.
 */
#include "rt/donor.h"
#include "rt/event.h"
#include "rt/failure.h"
#include "rt/fiber.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/processor.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#include <linux/futex.h>
#include <setjmp.h>
#include <sys/mman.h>

#define ARCH_SHSTK_STATUS 0x5005 /* Linux 6.6 */
#define ARCH_SHSTK_SHSTK 1ull

RT_STATE bool donor_runs_thread, donor_is_starting;
const uint64_t donor_mask_all = ~0ull;
RT_STATE uint64_t donor_running_mask;

static RT_KEPT struct donor donors[ARENA_SLOTS];

uintptr_t donor_read_fs(void)
{
	uintptr_t fs;
	__asm__("mov %%fs:0, %0" : "=r"(fs)); /* the thread block begins with its own address */
	return fs;
}

static void await_change(volatile uint32_t *word, uint32_t from)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == from)
		sys4(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, from, 0);
}

static void set_and_wake(volatile uint32_t *word, uint32_t to)
{
	__atomic_store_n(word, to, __ATOMIC_RELEASE);
	sys3(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

/* Where an ended thread leaves to; in the donor's frame, so that it lives as long as the donor. */
struct home {
	jmp_buf way;
};

static void *donor_main(void *argument)
{
	struct donor *d = argument;
	struct home home;
	d->fs = donor_read_fs();
	d->sp = (uintptr_t)__builtin_frame_address(0);
	d->thread->context.home = &home;
	d->thread->context.tid = (uint32_t)sys3(SYS_gettid, 0, 0, 0);
	set_and_wake(&d->is_ready, 1);
	await_change(&d->thread->context.turn, TURN_WAIT);
	if (d->thread->context.turn == TURN_RUN && !_setjmp(home.way)) {
		failure_alternate_stack();
		outside_attach_thread();
		processor_catch();
		donor_after_switch(d->thread);
		fiber_start(d->thread->context.sp);
	}
	return NULL;
}

void donor_leave(struct thread *self)
{
	struct home *home = self->context.home;
	real_longjmp(home->way, 1);
	__builtin_unreachable();
}

struct donor *donor_start(uint32_t slot, struct thread *t)
{
	struct donor *d = &donors[slot];
	uintptr_t base = ARENA_STACKS + slot * ARENA_STACK_STRIDE;
	pthread_attr_t attr;
	if (d->is_free) {
		d->is_free = false;
		rt_memcpy((void *)d->sp, d->fresh, base + ARENA_STACK_STRIDE - d->sp);
		t->context.home = d->home;
		t->context.tid = d->tid;
		return d;
	}
	g.internal++;
	/* while all signals are blocked, none can come for a system call */
	outside_selector = 0;
	if (d->is_ready) {
		set_and_wake(&d->thread->context.turn, TURN_END);
		real_pthread_join(d->real, NULL);
		/* The next thread finds the stack as fresh as the first one did. */
		sys3(SYS_madvise, base, ARENA_STACK_STRIDE, MADV_DONTNEED);
	}
	*d = (struct donor){ .thread = t };
	uint64_t before;
	DONOR_SET_MASK(&donor_mask_all, &before);
	real_pthread_attr_init(&attr);
	real_pthread_attr_setstack(&attr, (void *)base, ARENA_STACK_STRIDE);
	donor_is_starting = true;
	int failed = real_pthread_create(&d->real, &attr, donor_main, d);
	donor_is_starting = false;
	real_pthread_attr_destroy(&attr);
	DONOR_SET_MASK(&before, 0);
	if (!failed)
		await_change(&d->is_ready, 0);
	outside_selector = outside_closed;
	g.internal--;
	return failed ? NULL : d;
}

struct donor *donor_of(uint32_t slot)
{
	return &donors[slot];
}

bool donor_pool(uint32_t slot, struct thread *t)
{
	struct donor *d = donor_start(slot, t);
	if (!d)
		return false;
	size_t size = ARENA_STACKS + (slot + 1) * ARENA_STACK_STRIDE - d->sp;
	d->fresh = rt_map_kept(size);
	rt_memcpy(d->fresh, (const void *)d->sp, size);
	d->home = t->context.home;
	d->tid = t->context.tid;
	d->is_free = true;
	return true;
}

/* ---- which backend ---- */

/* Why fibers cannot work here; NULL: they can. */
static const char *no_fibers(void)
{
	uint64_t features = 0;
	/* A return on another stack than that of the call would be taken for an attack. */
	if (!sys3(SYS_arch_prctl, ARCH_SHSTK_STATUS, &features, 0) && features & ARCH_SHSTK_SHSTK)
		return "the processor's shadow stack is on";
	return NULL;
}

void donor_init(struct thread *main_thread)
{
	const char *reason = no_fibers();
	switch (g.session->backend) {
	case BACKEND_THREADS:
		donor_runs_thread = true;
		break;
	case BACKEND_FIBERS:
		if (reason)
			rt_fatal("the processor's shadow stack is on, which fibers cannot work "
				 "with; "
				 "--backend=threads can");
		break;
	default:
		donor_runs_thread = reason != NULL;
		if (reason)
			ev_note("real threads are used instead of fibers, because the "
				"processor's shadow stack is on");
	}
	main_thread->context.tid = (uint32_t)sys3(SYS_gettid, 0, 0, 0);
}
