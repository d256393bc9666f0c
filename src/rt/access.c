/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain memory accesses: the compilers' read and write hooks.
 *
 * A hook comes before its access.  A read's value is taken at the hook, since nothing else runs before the load.  A
 * write is noted, and becomes an event at the thread's next hook, when the store has happened and the new value can be
 * seen.  Where the compiler places one more hook between the write hook and the store (aggregate copies by gcc), the
 * driver has redirected the call to the late form, and one hook is let pass.
 *
 * The shadow holds what each byte must contain according to the events so far; a read that finds something else is
 * preceded by an event that says so, so every trace explains every read.
 */
#include "rt/ring.h"

#define PACKED(T) struct { T v; } __attribute__((packed, may_alias))
typedef PACKED(uint8_t) u8_any;
typedef PACKED(uint16_t) u16_any;
typedef PACKED(uint32_t) u32_any;
typedef PACKED(uint64_t) u64_any;

static void settle_one(struct pending *p)
{
	uintptr_t addr = p->addr;
	size_t size = p->size;
	p->size = 0;
	rt_memcpy((void *)SHADOW(addr), (const void *)addr, size);
	if (g.clock_on)
		clock_saw_write(addr, size);
	ev_access(EV_WRITE, (const void *)addr, size, MODE_PLAIN, p->flags, p->pc);
}

void rt_settle(void)
{
	if (g.late.size) {
		if (g.late.skip)
			g.late.skip--;
		else
			settle_one(&g.late);
	}
	if (g.pend.size)
		settle_one(&g.pend);
}

/* Checks of a read that precede its event. */
static inline void check_heap(uintptr_t p, size_t n, bool is_write, pc_t pc)
{
	if (heap_contains(p) && unlikely(heap_state(p) > HEAP_INSIDE || heap_state(p + n - 1) > HEAP_INSIDE))
		heap_check_range(p, n, is_write, pc);
}

#define SMALL_READ(n, any)                                                                       \
	static inline void read_##n(void *p, unsigned flags, pc_t pc)                            \
	{                                                                                        \
		if (likely(!g.active))                                                           \
			return;                                                                  \
		rt_enter(pc);                                                                    \
		rt_point();                                                                      \
		check_heap((uintptr_t)p, n, false, pc);                                          \
		uint64_t v = ((any *)p)->v;                                                      \
		if (unlikely(v != ((any *)SHADOW(p))->v))                                        \
			shadow_mismatch((uintptr_t)p, n, pc);                                    \
		if (unlikely(g.clock_on))                                                        \
			clock_saw_read((uintptr_t)p, n);                                         \
		flags |= ring_event();                                                           \
		if ((uintptr_t)p - g.stack_low < g.stack_size)                                   \
			flags |= EVF_STACK;                                                      \
		*ring_begin((uintptr_t)p, EV_READ, n, pc, flags, 1) = v;                         \
		ring_commit(3);                                                                  \
	}

SMALL_READ(1, u8_any)
SMALL_READ(2, u16_any)
SMALL_READ(4, u32_any)
SMALL_READ(8, u64_any)

static void read_long(const void *p, size_t n, unsigned flags, pc_t pc)
{
	check_heap((uintptr_t)p, n, false, pc);
	if (unlikely(rt_memcmp(p, (const void *)SHADOW(p), n)))
		shadow_mismatch((uintptr_t)p, n, pc);
	if (unlikely(g.clock_on))
		clock_saw_read((uintptr_t)p, n);
	ev_access(EV_READ, p, n, MODE_PLAIN, flags, pc);
}

static void hook_read_long(const void *p, size_t n, unsigned flags, pc_t pc)
{
	if (!g.active || !n)
		return;
	rt_enter(pc);
	rt_point();
	read_long(p, n, flags, pc);
}

static inline void hook_write(void *p, size_t n, unsigned flags, pc_t pc)
{
	if (likely(!g.active) || unlikely(!n))
		return;
	rt_enter(pc);
	rt_point();
	check_heap((uintptr_t)p, n, true, pc);
	g.pend = (struct pending){ .addr = (uintptr_t)p, .size = n, .pc = pc, .flags = (uint8_t)flags };
}

static void hook_late(void *p, size_t n, unsigned flags, pc_t pc)
{
	if (!g.active || !n)
		return;
	rt_enter(pc);
	rt_point();
	check_heap((uintptr_t)p, n, true, pc);
	/* An earlier late write has been settled by rt_enter: only one hook lies before each store. */
	g.late = (struct pending){ .addr = (uintptr_t)p, .size = n, .pc = pc, .flags = (uint8_t)flags, .skip = 1 };
}

void rt_libc_read(const void *p, size_t n, pc_t pc)
{
	if (n)
		read_long(p, n, EVF_LIBC, pc);
}

void rt_libc_wrote(const void *p, size_t n, pc_t pc)
{
	if (!n)
		return;
	rt_memcpy((void *)SHADOW(p), p, n);
	if (g.clock_on)
		clock_saw_write((uintptr_t)p, n);
	ev_access(EV_WRITE, p, n, MODE_PLAIN, EVF_LIBC, pc);
}

/* The compilers' names.  Each set: aligned, unaligned, volatile, unaligned volatile, and the late forms of writes. */
#define ONE(name, body)                    \
	RT_EXPORT void name(void *p);      \
	RT_EXPORT void name(void *p)       \
	{                                  \
		body;                      \
	}
#define READS(n)                                                        \
	ONE(__tsan_read##n, read_##n(p, 0, PC))                         \
	ONE(__tsan_unaligned_read##n, read_##n(p, 0, PC))               \
	ONE(__tsan_volatile_read##n, read_##n(p, EVF_VOLATILE, PC))     \
	ONE(__tsan_unaligned_volatile_read##n, read_##n(p, EVF_VOLATILE, PC))
#define WRITES(n)                                                                   \
	ONE(__tsan_write##n, hook_write(p, n, 0, PC))                               \
	ONE(__tsan_unaligned_write##n, hook_write(p, n, 0, PC))                     \
	ONE(__tsan_volatile_write##n, hook_write(p, n, EVF_VOLATILE, PC))           \
	ONE(__tsan_unaligned_volatile_write##n, hook_write(p, n, EVF_VOLATILE, PC)) \
	ONE(__heddle_late_write##n, hook_late(p, n, 0, PC))                         \
	ONE(__heddle_late_unaligned_write##n, hook_late(p, n, 0, PC))               \
	ONE(__heddle_late_volatile_write##n, hook_late(p, n, EVF_VOLATILE, PC))     \
	ONE(__heddle_late_unaligned_volatile_write##n, hook_late(p, n, EVF_VOLATILE, PC))

static void read_16(void *p, unsigned flags, pc_t pc)
{
	hook_read_long(p, 16, flags, pc);
}

READS(1) READS(2) READS(4) READS(8) READS(16)
WRITES(1) WRITES(2) WRITES(4) WRITES(8) WRITES(16)

/* A compound access is a read and a write; the window between them is a scheduling point. */
#define READ_WRITES(n)                                                                            \
	ONE(__tsan_read_write##n, (read_##n(p, 0, PC), hook_write(p, n, 0, PC)))                  \
	ONE(__tsan_unaligned_read_write##n, (read_##n(p, 0, PC), hook_write(p, n, 0, PC)))
READ_WRITES(1) READ_WRITES(2) READ_WRITES(4) READ_WRITES(8) READ_WRITES(16)

RT_EXPORT void __tsan_read_range(void *p, size_t n);
RT_EXPORT void __tsan_write_range(void *p, size_t n);
RT_EXPORT void __heddle_late_write_range(void *p, size_t n);
RT_EXPORT void __tsan_vptr_update(void **slot, void *value);
RT_EXPORT void __tsan_vptr_read(void **slot);

RT_EXPORT void __tsan_read_range(void *p, size_t n)
{
	hook_read_long(p, n, 0, PC);
}

RT_EXPORT void __tsan_write_range(void *p, size_t n)
{
	hook_write(p, n, 0, PC);
}

RT_EXPORT void __heddle_late_write_range(void *p, size_t n)
{
	hook_late(p, n, 0, PC);
}

RT_EXPORT void __tsan_vptr_update(void **slot, void *value)
{
	(void)value;
	hook_write(slot, sizeof(*slot), 0, PC);
}

RT_EXPORT void __tsan_vptr_read(void **slot)
{
	read_8(slot, 0, PC);
}

/* Branch callbacks: a bit on the next event, and a hook like any other, so that a loop without accesses is seen. */
RT_EXPORT void __sanitizer_cov_trace_pc(void);
RT_EXPORT void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
RT_EXPORT void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
RT_EXPORT void __sanitizer_cov_trace_pc_indir(uintptr_t callee);
RT_EXPORT void __tsan_init(void);

static inline void branch(pc_t pc)
{
	if (!g.active)
		return;
	rt_enter(pc);
	rt_point();
	g.branched = EVF_BRANCH;
}

RT_EXPORT void __sanitizer_cov_trace_pc(void)
{
	branch(PC);
}

RT_EXPORT void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
	(void)guard;
	branch(PC);
}

RT_EXPORT void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
	(void)start;
	(void)stop;
}

RT_EXPORT void __sanitizer_cov_trace_pc_indir(uintptr_t callee)
{
	(void)callee;
}

RT_EXPORT void __tsan_init(void)
{
}
