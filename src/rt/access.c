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
#include "rt/chunk.h"
#include "rt/explore.h"

#define PACKED(T) struct { T v; } __attribute__((packed, may_alias))
typedef PACKED(uint8_t) u8_any;
typedef PACKED(uint16_t) u16_any;
typedef PACKED(uint32_t) u32_any;
typedef PACKED(uint64_t) u64_any;

/*
 * What a hook does beyond its shortest path: called by these names on the hook stack (hook_stack.S), defined below with
 * _here behind the name.
 */
#define READ_PATHS(n)                                                                                       \
	void cold_read_##n(void *p, unsigned flags, pc_t pc);                                               \
	void slow_read_##n(void *p, unsigned flags, pc_t pc);                                               \
	void settled_read_##n(void *p, unsigned flags, pc_t pc);                                            \
	void cold_read_##n##_here(void *p, unsigned flags, pc_t pc);                                        \
	void slow_read_##n##_here(void *p, unsigned flags, pc_t pc);                                        \
	void settled_read_##n##_here(void *p, unsigned flags, pc_t pc);
READ_PATHS(1) READ_PATHS(2) READ_PATHS(4) READ_PATHS(8)
#define SHAPE(kind, size, flags) ((kind) | (unsigned)(size) << 8 | (unsigned)(flags) << 16)
void tell_access(unsigned shape, uintptr_t p, uint64_t v, uint64_t memory, pc_t pc);
void tell_access_here(unsigned shape, uintptr_t p, uint64_t v, uint64_t memory, pc_t pc);
void hook_read_long(const void *p, size_t n, unsigned flags, pc_t pc);
void hook_read_long_here(const void *p, size_t n, unsigned flags, pc_t pc);
void slow_write(void *p, size_t n, unsigned flags, pc_t pc);
void slow_write_here(void *p, size_t n, unsigned flags, pc_t pc);
void settled_write(void *p, size_t n, unsigned flags, pc_t pc);
void settled_write_here(void *p, size_t n, unsigned flags, pc_t pc);
void hook_late(void *p, size_t n, unsigned flags, pc_t pc);
void hook_late_here(void *p, size_t n, unsigned flags, pc_t pc);
void slow_branch(pc_t pc);
void slow_branch_here(pc_t pc);
void settled_branch(pc_t pc);
void settled_branch_here(pc_t pc);
void rt_settle_here(void);
_Static_assert(offsetof(struct hot, active) == 0 && offsetof(struct hot, budget) == 8, "hook_stack.S");

static inline unsigned own_stack(uintptr_t p)
{
	return p - g.stack_low < g.stack_size ? EVF_STACK : 0;
}

/* An access in the short form that has no chunk. */
static void plain_record(unsigned kind, uintptr_t p, unsigned size, uint64_t v, unsigned flags, pc_t pc)
{
	known_told(p, size);
	flags |= ring_event();
	*ring_begin(p, kind, size, pc, flags, 1) = v;
	ring_commit(3);
}

/*
 * An access of 1, 2, 4 or 8 bytes of which anything may be unusual.  `v` is in memory; `memory` is what was there
 * before, as the events tell it.
 */
void tell_access_here(unsigned shape, uintptr_t p, uint64_t v, uint64_t memory, pc_t pc)
{
	unsigned kind = shape & 0xff, size = shape >> 8 & 0xff, flags = shape >> 16;
	flags |= own_stack(p);
	if (g.exploring) {
		explore_op(kind, p, v, size, MODE_PLAIN, flags, pc);
		return;
	}
	/* The call stack first: places are numbered in the order in which they are told, whatever form accesses have. */
	if (g.event_flags & HOT_NEW_STACK && !g.session->plain_accesses)
		stack_announce_in_chunk();
	struct site *s = g.session->plain_accesses ? NULL : chunk_site(SITE_KEY(pc, kind, size));
	if (!s) {
		plain_record(kind, p, size, v, flags, pc);
		return;
	}
	if (unlikely(g.events_left-- == 0))
		ring_until_reached();
	flags |= g.event_flags & 0xff;
	g.event_flags &= ~0xffu;
	bool is_pointer = size == 8 && is_module_pointer(v);
	uintptr_t canonical = canonical_of(p);
	bool known = is_known(canonical, size) && (kind == EV_WRITE || !is_pointer);
	chunk_access(s, canonical, is_pointer ? canonical_of(v) : v, known, memory, flags);
	if (!known || is_pointer)
		known_told(p, size);
}

/* The store of a noted write has happened: its value goes into shadow and trace. */
#define SETTLE(n, any)                                                                                         \
	static inline __attribute__((always_inline)) void settle_##n(const struct pending *p)                  \
	{                                                                                                      \
		uint64_t v = ((any *)p->addr)->v, memory = ((any *)SHADOW(p->addr))->v;                        \
		((any *)SHADOW(p->addr))->v = (__typeof__(((any *)0)->v))v;                                    \
		if (likely(!(g.event_flags & ~0xffu) && is_known(p->addr, n) &&              \
			   !(n == 8 && may_be_in_module(v)))) {                                                    \
			unsigned flags = p->flags | g.event_flags | own_stack(p->addr);               \
			struct site *s = chunk_expects(SITE_KEY(p->pc, EV_WRITE, n), p->addr, flags);          \
			if (likely(s && access_expected_value(&s->model, &g.seen, memory, n) == v)) {          \
				g.event_flags = 0;                                                             \
				chunk_went_on(s, p->addr);                                                     \
				s->model.value = v;                                                            \
				return;                                                                        \
			}                                                                                      \
		}                                                                                              \
		if (unlikely(rt_clock_on()))                                                                   \
			clock_saw_write(p->addr, n);                                                           \
		tell_access(SHAPE(EV_WRITE, n, p->flags), p->addr, v, memory, p->pc);                                        \
	}
SETTLE(1, u8_any)
SETTLE(2, u16_any)
SETTLE(4, u32_any)
SETTLE(8, u64_any)

/* The same where stores are buffered. */
static void settle_buffered(const struct pending *p)
{
	bool buffered = buffer_store(p->addr, p->size, MODE_PLAIN, p->pc);
	if (rt_clock_on())
		clock_saw_write(p->addr, p->size);
	unsigned flags = p->flags | (buffered ? EVF_BUFFERED : 0u);
	ev_access(EV_WRITE, (const void *)p->addr, p->size, MODE_PLAIN, flags, p->pc);
	buffer_make_room();
}

static inline void settle_one(struct pending *p)
{
	if (buffer_is_on()) {
		settle_buffered(p);
		p->size = 0;
		return;
	}
	switch (p->size) {
	case 1: settle_1(p); break;
	case 2: settle_2(p); break;
	case 4: settle_4(p); break;
	case 8: settle_8(p); break;
	default:
		rt_memcpy((void *)SHADOW(p->addr), (const void *)p->addr, p->size);
		if (rt_clock_on())
			clock_saw_write(p->addr, p->size);
		ev_access(EV_WRITE, (const void *)p->addr, p->size, MODE_PLAIN, p->flags, p->pc);
	}
	p->size = 0;
}

void rt_settle_here(void)
{
	if (unlikely(g.late.size)) {
		if (g.late.skip) {
			g.late.skip--;
			if (g.pend.size)
				settle_one(&g.pend);
			return;
		}
		settle_one(&g.late);
	}
	if (g.pend.size)
		settle_one(&g.pend);
	g.unsettled = 0;
}

static inline void check_heap(uintptr_t p, size_t n, bool is_write, pc_t pc)
{
	if (heap_contains(p) && unlikely(heap_state(p) > HEAP_INSIDE || heap_state(p + n - 1) > HEAP_INSIDE))
		heap_check_range(p, n, is_write, pc);
}

/*
 * A small read goes one of four ways, each a function of its own, so that the first test needs no stack frame:
 *   cold      the scheduler wants to be asked, or the runtime is inert
 *   settled   a noted write becomes an event first
 *   fast      nothing to decide and nothing to report: the way of nearly all.  What is known is not freed.
 *   slow      the read itself needs attention
 */
#define SMALL_READ(n, any)                                                                                  \
	void slow_read_##n##_here(void *p, unsigned flags, pc_t pc)               \
	{                                                                                                   \
		rt_point();                                                                                 \
		check_heap((uintptr_t)p, n, false, pc);                                                     \
		uint64_t v = ((any *)p)->v;                                                                 \
		if (unlikely(v != ((any *)SHADOW(p))->v))                                                   \
			shadow_mismatch((uintptr_t)p, n, pc);                                               \
		if (unlikely(rt_clock_on()))                                                                \
			clock_saw_read((uintptr_t)p, n);                                                    \
		tell_access(SHAPE(EV_READ, n, flags), (uintptr_t)p, v, v, pc);                                            \
	}                                                                                                   \
	void cold_read_##n##_here(void *p, unsigned flags, pc_t pc)               \
	{                                                                                                   \
		if (!g.active)                                                                              \
			return;                                                                             \
		rt_enter(pc);                                                                               \
		slow_read_##n(p, flags, pc);                                                                \
	}                                                                                                   \
	static inline __attribute__((always_inline)) void ready_read_##n(void *p, unsigned flags, pc_t pc)  \
	{                                                                                                   \
		g.hook_pc = pc;                                                                             \
		uint64_t v = ((any *)p)->v;                                                                 \
		if (unlikely((g.event_flags & ~0xffu) || v != ((any *)SHADOW(p))->v ||                      \
			     !is_known((uintptr_t)p, n) || (n == 8 && may_be_in_module(v)))) {                  \
			slow_read_##n(p, flags, pc);                                                        \
			return;                                                                             \
		}                                                                                           \
		g.budget--;                                                                                 \
		unsigned all = flags | g.event_flags | own_stack((uintptr_t)p);                             \
		struct site *s = chunk_expects(SITE_KEY(pc, EV_READ, n), (uintptr_t)p, all);                \
		if (unlikely(!s)) {                                                                         \
			tell_access(SHAPE(EV_READ, n, flags), (uintptr_t)p, v, v, pc);                                    \
			return;                                                                             \
		}                                                                                           \
		g.event_flags = 0;                                                                          \
		chunk_went_on(s, (uintptr_t)p);                                                             \
		access_learn_read(&g.seen, v, n);                                                           \
	}                                                                                                   \
	void settled_read_##n##_here(void *p, unsigned flags, pc_t pc)            \
	{                                                                                                   \
		rt_enter(pc);                                                                               \
		ready_read_##n(p, flags, pc);                                                               \
	}                                                                                                   \
	static __attribute__((noinline)) void fast_read_##n(void *p, unsigned flags, pc_t pc)               \
	{                                                                                                   \
		if (g.unsettled)                                                                            \
			settled_read_##n(p, flags, pc);                                                     \
		else                                                                                        \
			ready_read_##n(p, flags, pc);                                                       \
	}                                                                                                   \
	static inline __attribute__((always_inline)) void read_##n(void *p, unsigned flags, pc_t pc)        \
	{                                                                                                   \
		if (g.budget <= 0)                                                                          \
			cold_read_##n(p, flags, pc);                                                        \
		else                                                                                        \
			fast_read_##n(p, flags, pc);                                                        \
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
	if (unlikely(rt_clock_on()))
		clock_saw_read((uintptr_t)p, n);
	ev_access(EV_READ, p, n, MODE_PLAIN, flags, pc);
}

void hook_read_long_here(const void *p, size_t n, unsigned flags, pc_t pc)
{
	if (!g.active || !n)
		return;
	rt_enter(pc);
	rt_point();
	read_long(p, n, flags, pc);
}

static inline void note_write(void *p, size_t n, unsigned flags, pc_t pc)
{
	g.pend.addr = (uintptr_t)p;
	g.pend.size = n;
	g.pend.pc = pc;
	g.pend.flags = (uint8_t)flags;
	g.unsettled = 1;
}

void slow_write_here(void *p, size_t n, unsigned flags, pc_t pc)
{
	if (!g.active || !n)
		return;
	rt_enter(pc);
	rt_point();
	check_heap((uintptr_t)p, n, true, pc);
	if (buffer_is_on())
		buffer_before((uintptr_t)p, n, pc);
	note_write(p, n, flags, pc);
}

void settled_write_here(void *p, size_t n, unsigned flags, pc_t pc)
{
	rt_enter(pc);
	g.budget--;
	note_write(p, n, flags, pc);
}

static __attribute__((noinline)) void fast_write(void *p, size_t n, unsigned flags, pc_t pc)
{
	if (unlikely(n > 8 || !n || !is_known((uintptr_t)p, (unsigned)n))) {
		slow_write(p, n, flags, pc);
	} else if (g.unsettled) {
		settled_write(p, n, flags, pc);
	} else {
		g.hook_pc = pc;
		g.budget--;
		note_write(p, n, flags, pc);
	}
}

static inline __attribute__((always_inline)) void hook_write(void *p, size_t n, unsigned flags, pc_t pc)
{
	if (g.budget <= 0)
		slow_write(p, n, flags, pc);
	else
		fast_write(p, n, flags, pc);
}

void hook_late_here(void *p, size_t n, unsigned flags, pc_t pc)
{
	if (!g.active || !n)
		return;
	rt_enter(pc);
	rt_point();
	check_heap((uintptr_t)p, n, true, pc);
	if (buffer_is_on())
		buffer_before((uintptr_t)p, n, pc);
	/* An earlier late write has been settled by rt_enter: only one hook lies before each store. */
	g.late = (struct pending){ .addr = (uintptr_t)p, .size = n, .pc = pc, .flags = (uint8_t)flags, .skip = 1 };
	g.unsettled = 1;
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
	bool buffered = false;
	if (!buffer_is_on() || !shadow_is_ours((uintptr_t)p))
		rt_memcpy((void *)SHADOW(p), p, n);
	else
		buffered = buffer_store((uintptr_t)p, n, MODE_PLAIN, pc);
	if (rt_clock_on())
		clock_saw_write((uintptr_t)p, n);
	ev_access(EV_WRITE, p, n, MODE_PLAIN, EVF_LIBC | (buffered ? EVF_BUFFERED : 0u), pc);
	if (buffered)
		buffer_make_room();
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

/*
 * Branch callbacks: a bit on the next event and a step of the thread's path, or an event; and a hook like any other, so
 * that a loop without accesses is seen.
 */
RT_EXPORT void __sanitizer_cov_trace_pc(void);
RT_EXPORT void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
RT_EXPORT void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
RT_EXPORT void __sanitizer_cov_trace_pc_indir(uintptr_t callee);

static void pass_branch(pc_t pc)
{
	g.path = path_step(g.path, canonical_code(pc));
	if (g.session->branch_events)
		chunk_branch(pc);
	else
		g.event_flags |= EVF_BRANCH;
}

void slow_branch_here(pc_t pc)
{
	if (!g.active)
		return;
	rt_enter(pc);
	rt_point();
	pass_branch(pc);
}

void settled_branch_here(pc_t pc)
{
	rt_enter(pc);
	g.budget--;
	pass_branch(pc);
}

static inline __attribute__((always_inline)) void branch(pc_t pc)
{
	if (g.budget <= 0) {
		slow_branch(pc);
	} else if (g.unsettled || pc - g.code_low >= g.code_size) {
		settled_branch(pc);
	} else {
		g.hook_pc = pc;
		g.budget--;
		g.event_flags |= EVF_BRANCH;
		g.path = path_step(g.path, pc + g.code_shift);
	}
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
