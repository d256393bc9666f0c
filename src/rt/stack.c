/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks.  The compilers' entry and exit hooks keep an array of frames for each thread.  A
 * chain of calls gets a number when the first event happens in it: (number of the caller's chain,
 * return address) is looked up in one table for the whole process, so equal stacks have equal
 * numbers in every thread, and the tool needs only the number, and only when it changes.
 *
 * Frames left by longjmp have no exit hook: each frame remembers its stack pointer, and older
 * entries that lie at or below a new frame's stack pointer are dead.
 */
#include "rt/chunk.h"
#include "rt/enter.h"
#include "rt/failure.h"
#include "rt/frame_fill.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/mem.h"
#include "rt/openmp.h"
#include "rt/ring.h"
#include "rt/rt.h"
#include "rt/stack.h"
#include "rt/start.h"
#include "rt/thread.h"
#include "rt/verifier.h"
#include "wire/wire.h"

#define HOOK_LINKAGE \
	16 /* a hook's return address and its caller's frame pointer, in front of its frame */

struct node {
	uint32_t parent;
	uint32_t id;
	pc_t call;
};

static RT_STATE struct node *table;
static RT_STATE uint32_t table_size; /* power of two */
static RT_STATE uint32_t count;	     /* ids given out so far */
static RT_STATE uint32_t frame_serial;

static uint32_t slot_of(uint32_t parent, pc_t call)
{
	uint64_t h = (call ^ ((uint64_t)parent << 32 | parent)) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 32) & (table_size - 1);
}

static void grow(void)
{
	struct node *old = table;
	uint32_t old_size = table_size;
	table_size = old_size ? old_size * 2 : 1u << 14;
	table = rt_map(table_size * sizeof(*table));
	for (uint32_t i = 0; i < old_size; i++) {
		if (!old[i].id)
			continue;
		uint32_t s = slot_of(old[i].parent, old[i].call);
		while (table[s].id)
			s = (s + 1) & (table_size - 1);
		table[s] = old[i];
	}
}

static uint32_t intern(uint32_t parent, pc_t call)
{
	if (!table || count * 2 >= table_size)
		grow();
	uint32_t s = slot_of(parent, call);
	for (; table[s].id; s = (s + 1) & (table_size - 1))
		if (table[s].parent == parent && table[s].call == call)
			return table[s].id;
	table[s] = (struct node){ .parent = parent, .id = ++count, .call = call };
	uint64_t *w = ring_begin(count, WIRE_STACK_DEF, 0, 0, 0, 2);
	w[0] = parent;
	w[1] = call;
	ring_commit(4);
	return count;
}

/*
 * What is loaded there next has other call sites.  A node keeps its place in the table, so that
 * others are found behind it, but no call site equals its own any more; so do those below it, which
 * are reached only through it.
 */
void stack_forget(uintptr_t low, uintptr_t high)
{
	for (uint32_t i = 0; i < table_size; i++)
		if (table[i].id && table[i].call - low < high - low)
			table[i].call = 0;
}

/* A call of main or of a start routine is not part of the program's stack. */
static bool is_outside_program(pc_t call)
{
	return rt_owns_code(call) || openmp_owns_code(call);
}

static uint32_t current_id(void)
{
	struct frame *f = g.frame;
	if (f->id == FRAME_NEW) {
		struct frame *known = f - 1;
		while (known->id == FRAME_NEW)
			known--;
		for (; known < f; known++) {
			pc_t call = known[1].call;
			if (unlikely(openmp_owns_code(call)))
				call = openmp_program_place(call);
			known[1].id =
				is_outside_program(call) ? known->id : intern(known->id, call);
		}
	}
	return f->id;
}

void stack_announce(void)
{
	uint32_t id = current_id();
	if (id == g.stack_id)
		return;
	g.stack_id = id;
	ring_begin(id, WIRE_STACK, 0, 0, 0, 0);
	ring_commit(2);
}

void stack_announce_in_chunk(void)
{
	uint32_t id = current_id();
	g.slow &= ~(uint32_t)HOT_NEW_STACK;
	if (id == g.chunk_stack_id)
		return;
	g.chunk_stack_id = id;
	chunk_stack(id);
}

RT_EXPORT void __tsan_func_entry(void *call);
RT_EXPORT void __tsan_func_exit(void);
RT_EXPORT void __heddle_atomic_func_entry(void *call);
RT_EXPORT void __heddle_atomic_func_exit(void);

static inline void enter_function(pc_t call, uintptr_t sp, pc_t pc)
{
	/*
	 * What a hook needs of the stack differs from run to run of the same schedule, so the end
	 * of the stack must not be found by a hook that has no room.  The hook stack begins where
	 * this one ends: it is in use already.
	 */
	bool is_overflow = sp < g.stack_low && sp >= g.cur->stack.guard_low && rt_hook_top;
	if (unlikely(is_overflow))
		rt_hook_top = 0;
	rt_enter(pc);
	if (unlikely(is_overflow))
		rt_fail(FAIL_STACK_OVERFLOW, sp, 0, pc);
	if (g.exploring && sp < g.cur->stack.lowest_sp)
		g.cur->stack.lowest_sp = sp;
	struct frame *f = g.frame;
	while (unlikely(f->sp <= sp))
		f--;
	if (likely(f - g.cur->calls.frames < FRAMES_MAX - 1))
		f++;
	f->call = call;
	f->sp = sp;
	f->id = FRAME_NEW;
	f->serial = ++frame_serial;
	f->entry = PC;
	g.frame = f;
	g.slow |= HOT_NEW_STACK;
}

RT_EXPORT void __tsan_func_entry(void *call)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	if (!g.active)
		return;
	enter_function((pc_t)call, sp, PC);
	if (unlikely(rt_fills_frames))
		frame_fill(sp + HOOK_LINKAGE, PC);
}

/* Of a function that others see as one step (src/cc/atomic_functions.h). */
RT_EXPORT void __heddle_atomic_func_entry(void *call)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	if (g.active)
		enter_function((pc_t)call, sp, PC);
	if (unlikely(rt_fills_frames) && g.active)
		frame_fill(sp + HOOK_LINKAGE, PC);
	verifier_section_begin(sp, PC);
}

void stack_drop_below(uintptr_t sp)
{
	struct frame *f = g.frame;
	while (f->sp < sp)
		f--;
	if (f == g.frame)
		return;
	g.frame = f;
	g.slow |= HOT_NEW_STACK;
}

static inline void leave_function(uintptr_t sp, pc_t pc)
{
	rt_enter(pc);
	struct frame *f = g.frame;
	/* An optimiser may jump here as the last thing of a function: then we return to where
	 * that was called. */
	while (unlikely(f->sp < sp && f->call != pc))
		f--;
	if (unlikely(g.exploring && (g.cur->given.count || g.cur->given.is_partial)) &&
	    f > g.cur->calls.frames)
		left_frame_leave(sp, f[-1].sp, PC);
	if (f > g.cur->calls.frames)
		f--;
	g.frame = f;
	g.slow |= HOT_NEW_STACK;
}

RT_EXPORT void __tsan_func_exit(void)
{
	if (g.active)
		leave_function((uintptr_t)__builtin_frame_address(0), PC);
}

RT_EXPORT void __heddle_atomic_func_exit(void)
{
	verifier_section_end(PC);
	if (g.active)
		leave_function((uintptr_t)__builtin_frame_address(0), PC);
}
