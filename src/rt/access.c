/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain memory accesses: what the compilers' read and write hooks do beyond their shortest path,
 * which is hooks.S.
 *
 * A hook comes before its access.  A read's value is taken at the hook, since nothing else runs
 * before the load.  A write is noted, and becomes an event at the thread's next hook, when the
 * store has happened and the new value can be seen.  Where the compiler places one more hook
 * between the write hook and the store (aggregate copies by gcc), the driver has redirected the
 * call to the late form, and one hook is let pass.
 *
 * The shadow holds what each byte must contain according to the events so far; a read that finds
 * something else is preceded by an event that says so, so every trace explains every read.
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/chunk.h"
#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/heap.h"
#include "rt/hot.h"
#include "rt/hot_offsets.h"
#include "rt/left_frame.h"
#include "rt/mem.h"
#include "rt/probe.h"
#include "rt/ring.h"
#include "rt/rt.h"
#include "rt/shadow.h"
#include "rt/stack.h"
#include "wire/accesses.h"
#include "wire/explore.h"
#include "wire/path.h"
#include "wire/wire.h"

#define PACKED(T)    \
	struct {     \
		T v; \
	} __attribute__((packed, may_alias))
typedef PACKED(uint8_t) u8_any;
typedef PACKED(uint16_t) u16_any;
typedef PACKED(uint32_t) u32_any;
typedef PACKED(uint64_t) u64_any;

/* Called by these names on the hook stack (hook_stack.S), defined below with _here behind the name.
 */
#define ON_HOOK_STACK(name, ...) \
	void name(__VA_ARGS__);  \
	void name##_here(__VA_ARGS__);
ON_HOOK_STACK(cold_read_1, void *p, unsigned flags, pc_t pc)
ON_HOOK_STACK(cold_read_2, void *p, unsigned flags, pc_t pc)
ON_HOOK_STACK(cold_read_4, void *p, unsigned flags, pc_t pc)
ON_HOOK_STACK(cold_read_8, void *p, unsigned flags, pc_t pc)
ON_HOOK_STACK(report_read, void *p, struct site *s, uint64_t v, unsigned flags)
ON_HOOK_STACK(hook_read_long, const void *p, size_t n, unsigned flags, pc_t pc)
ON_HOOK_STACK(cold_write, void *p, size_t n, unsigned flags, pc_t pc)
ON_HOOK_STACK(hook_late, void *p, size_t n, unsigned flags, pc_t pc)
void rt_settle_here(void);
void report_write_here(uintptr_t p, struct site *s, uint64_t v, unsigned flags);

/* The layout that hooks.S assumes. */
#define SAME(number, is) _Static_assert((number) == (is), #number)
#define G_AT(name, field) SAME(name, offsetof(struct hot, field))
#define SITE_AT(name, field) SAME(name, offsetof(struct site, field))
G_AT(G_ACTIVE, active);
G_AT(G_BUDGET, budget);
G_AT(G_SLOW, slow);
G_AT(G_UNSETTLED, unsettled);
G_AT(G_HOOK_PC, hook_pc);
G_AT(G_CHUNK_EVENTS, chunk_events);
G_AT(G_SITE, site);
G_AT(G_SEEN_ADDRESS, seen.address);
G_AT(G_SEEN_POINTER, seen.pointer);
G_AT(G_SEEN_VALUE, seen.value);
G_AT(G_MEMORY, memory);
G_AT(G_QUICK_ADDRESS, quick.addr);
G_AT(G_QUICK_SITE, quick.site);
G_AT(G_QUICK_FLAGS, quick.flags);
G_AT(G_BRANCHED, branched);
G_AT(G_PATH, path);
G_AT(G_CODE_LOW, code_low);
G_AT(G_CODE_SIZE, code_size);
G_AT(G_CODE_SHIFT, code_shift);
G_AT(G_STACK_LOW, stack_low);
G_AT(G_STACK_SIZE, stack_size);
G_AT(G_MODULES_LOW, modules_low);
G_AT(G_MODULES_SIZE, modules_size);
G_AT(G_CHUNK_IN_TOKENS, chunk_in_tokens);
G_AT(G_CHUNK_AT, chunk_at);
SITE_AT(SITE_ADDRESS, model.address);
SITE_AT(SITE_STEP, model.step);
SITE_AT(SITE_VALUE, model.value);
SITE_AT(SITE_VALUE_STEP, model.value_step);
SITE_AT(SITE_NEXT, model.next);
SITE_AT(SITE_FLAGS, model.flags);
SITE_AT(SITE_PC, pc);
SITE_AT(SITE_BASE_AT, base_at);
SITE_AT(SITE_VALUE_AT, value_at);
SITE_AT(SITE_ID, id);
SITE_AT(SITE_SEEN_STEP, model.seen_step);
SITE_AT(SITE_BASE, model.base);
SITE_AT(SITE_SEEN_BASE, model.seen_base);
SITE_AT(SITE_VALUE_BASE, model.value_base);
SITE_AT(SITE_SIZE, size);
SITE_AT(SITE_VARINT_SIZE, varint_size);
SITE_AT(SITE_VARINT, varint);
SITE_AT(SITE_NEXT_AT, next_at);
SITE_AT(SITE_UNIQUE_PC, unique_pc);
SAME(1ull << SHADOW_BIT, SHADOW_XOR);
SAME(HOT_KNOWN_BASE, KNOWN_BASE);
SAME(HOT_EVF_VOLATILE, EVF_VOLATILE);
SAME(HOT_EVF_STACK, EVF_STACK);
SAME(HOT_EVF_BRANCH, EVF_BRANCH);
SAME(HOT_PATH_FACTOR, PATH_FACTOR);
SAME(HOT_CHUNK_MAX, ACCESS_CHUNK_MAX);
SAME(HOT_TOKEN_MAX, ACCESS_TOKEN_MAX);
SAME(HOT_RUN, TOKEN_RUN);
SAME(HOT_RUN_LONG, TOKEN_RUN_LONG);
SAME(HOT_TOKEN_SITE, TOKEN_SITE);
SAME(HOT_TOKEN_FLAGS, TOKEN_FLAGS);
SAME(HOT_TOKEN_VALUE, TOKEN_VALUE);
SAME(1, TOKEN_BASE_SHIFT);
SAME(3, TOKEN_WIDTH_SHIFT);
SAME(2, VALUE_WIDTH_SHIFT);
SAME(HOT_OF_SITE, ADDRESS_OF_SITE);
SAME(HOT_OF_THREAD, ADDRESS_OF_THREAD);
SAME(HOT_OF_POINTER, ADDRESS_OF_POINTER);
SAME(HOT_VALUE_OF_MEMORY, VALUE_OF_MEMORY);
SAME(HOT_VALUE_OF_READ, VALUE_OF_READ);
SAME(HOT_VALUE_OF_SITE, VALUE_OF_SITE);
SAME(HOT_VALUE_ABSOLUTE, VALUE_ABSOLUTE);

static inline unsigned own_stack(uintptr_t p)
{
	return p - g.stack_low < g.stack_size ? EVF_STACK : 0;
}

/* An access in the short form that has no chunk. */
static void plain_record(unsigned kind, uintptr_t p, unsigned size, uint64_t v, unsigned flags,
			 pc_t pc)
{
	known_shown(p, size);
	flags |= ring_event();
	*ring_begin(p, kind, size, pc, flags, 1) = v;
	ring_commit(3);
}

/*
 * An access of 1, 2, 4 or 8 bytes of which anything may be unusual.  `v` is in memory; `memory` is
 * what was there before, according to the events.
 */
static void report_access(unsigned kind, uintptr_t p, unsigned size, uint64_t v, uint64_t memory,
			  unsigned flags, pc_t pc)
{
	flags |= own_stack(p);
	if (unlikely(g.watches)) {
		if (kind == EV_READ)
			await_read(p, size, pc);
		else
			await_wrote(p, size, false, pc);
	}
	if (g.exploring) {
		if (buffer_is_on() && kind == EV_READ && buffer_forwards(p, size))
			flags |= OPF_FORWARDED;
		if (kind == EV_WRITE && size == 8)
			left_frame_stored(p, size);
		explore_op(kind, p, v, size, MODE_PLAIN, flags, pc);
		return;
	}
	/* The call stack first: places are numbered in the order of their announcement, which
	 * must not depend on the form of accesses. */
	if (g.slow & HOT_NEW_STACK && !g.session->plain_accesses)
		stack_announce_in_chunk();
	struct site *s = g.session->plain_accesses ? NULL : chunk_site(pc, kind, size);
	if (!s) {
		plain_record(kind, p, size, v, flags, pc);
		return;
	}
	if (unlikely(g.events_left-- == 0))
		ring_until_reached();
	flags |= rt_take_branch();
	bool is_pointer = size == 8 && is_module_pointer(v);
	uintptr_t canonical = canonical_of(p);
	bool known = is_known(canonical, size) && (kind == EV_WRITE || !is_pointer);
	chunk_access(s, canonical, is_pointer ? canonical_of(v) : v, known, memory, flags);
	if (!known || is_pointer)
		known_shown(p, size);
}

/* ---- writes whose store has happened ---- */

#define SETTLE(any)                                                                              \
	{                                                                                        \
		uint64_t v = ((any *)p->addr)->v, memory = ((any *)SHADOW(p->addr))->v;          \
		((any *)SHADOW(p->addr))->v = (__typeof__(((any *)0)->v))v;                      \
		if (unlikely(rt_clock_on()))                                                     \
			clock_saw_write(p->addr, p->size);                                       \
		report_access(EV_WRITE, p->addr, (unsigned)p->size, v, memory, p->flags, p->pc); \
	}

/* Where stores are buffered they do not reach memory yet. */
static void settle_buffered(const struct pending *p)
{
	left_frame_stored(p->addr, p->size);
	bool buffered = buffer_store(p->addr, p->size, MODE_PLAIN, p->pc);
	if (rt_clock_on())
		clock_saw_write(p->addr, p->size);
	unsigned flags = p->flags | (buffered ? EVF_BUFFERED : 0u);
	ev_access(EV_WRITE, (const void *)p->addr, p->size, MODE_PLAIN, flags, p->pc);
	buffer_make_room();
}

/* Its value goes into shadow and trace. */
static void settle_one(const struct pending *p)
{
	if (buffer_is_on()) {
		settle_buffered(p);
		return;
	}
	switch (p->size) {
	case 1:
		SETTLE(u8_any) break;
	case 2:
		SETTLE(u16_any) break;
	case 4:
		SETTLE(u32_any) break;
	case 8:
		SETTLE(u64_any) break;
	default:
		rt_memcpy((void *)SHADOW(p->addr), (const void *)p->addr, p->size);
		if (rt_clock_on())
			clock_saw_write(p->addr, p->size);
		if (g.exploring)
			left_frame_stored(p->addr, p->size);
		ev_access(EV_WRITE, (const void *)p->addr, p->size, MODE_PLAIN, p->flags, p->pc);
	}
}

static void settle_noted(void)
{
	if (g.late.size) {
		if (g.late.skip) {
			g.late.skip--;
			if (g.pend.size)
				settle_one(&g.pend);
			g.pend.size = 0;
			return;
		}
		settle_one(&g.late);
	}
	if (g.pend.size)
		settle_one(&g.pend);
	g.late.size = g.pend.size = 0;
	g.unsettled = 0;
}

void rt_settle_here(void)
{
	/* A write has the branches before its hook; those since then belong to the next event. */
	uint8_t branched = g.branched;
	g.branched = 0;
	if (g.unsettled != UNSETTLED_OTHER) {
		const struct quick_write *q = &g.quick;
		settle_one(&(struct pending){ .addr = q->addr,
					      .pc = q->site->pc,
					      .size = g.unsettled,
					      .flags = q->flags });
		g.unsettled = 0;
	} else {
		settle_noted();
	}
	g.branched = branched;
}

/* Found by hooks.S: the shadow has been written, and something about the access is not as expected.
 */
void report_write_here(uintptr_t p, struct site *s, uint64_t v, unsigned flags)
{
	chunk_access(s, p, v, true, g.memory, flags);
	g.unsettled = 0;
}

/* ---- reads ---- */

/* Is the memory alive? */
static inline void check_life(uintptr_t p, size_t n, bool is_write, unsigned flags, pc_t pc)
{
	if (heap_contains(p) &&
	    unlikely(heap_state(p) > HEAP_INSIDE || heap_state(p + n - 1) > HEAP_INSIDE))
		heap_check_range(p, n, is_write, !(flags & EVF_LIBC), pc);
	else if (is_stack_address(p))
		left_frame_check(p, n, is_write, !(flags & EVF_LIBC), pc);
}

/*
 * A read that faults, and whose fault the program handles, is not counted as a hook on either path:
 * the path differs in a replay.
 */
static inline void touch(const void *p)
{
	(void)*(const volatile char *)p;
}

/* The scheduler wants to be asked, or something about the read needs attention. */
#define COLD_READ(n, any)                                                 \
	void cold_read_##n##_here(void *p, unsigned flags, pc_t pc)       \
	{                                                                 \
		if (!g.active)                                            \
			return;                                           \
		rt_enter(pc);                                             \
		touch(p);                                                 \
		rt_next_is(p, n, false);                                  \
		rt_point();                                               \
		check_life((uintptr_t)p, n, false, flags, pc);            \
		uint64_t v = ((any *)p)->v;                               \
		if (unlikely(v != ((any *)SHADOW(p))->v))                 \
			shadow_mismatch((uintptr_t)p, n, pc);             \
		if (unlikely(rt_clock_on()))                              \
			clock_saw_read((uintptr_t)p, n);                  \
		report_access(EV_READ, (uintptr_t)p, n, v, v, flags, pc); \
	}
COLD_READ(1, u8_any)
COLD_READ(2, u16_any)
COLD_READ(4, u32_any)
COLD_READ(8, u64_any)

/* All is well, but site, address or flags are not the expected ones. */
void report_read_here(void *p, struct site *s, uint64_t v, unsigned flags)
{
	g.branched = 0;
	chunk_access(s, (uintptr_t)p, v, true, v, flags);
}

static void read_long(const void *p, size_t n, unsigned flags, pc_t pc)
{
	check_life((uintptr_t)p, n, false, flags, pc);
	if (unlikely(rt_memcmp(p, (const void *)SHADOW(p), n)))
		shadow_mismatch((uintptr_t)p, n, pc);
	clock_saw_read((uintptr_t)p, n);
	ev_access(EV_READ, p, n, MODE_PLAIN, flags, pc);
}

void hook_read_long_here(const void *p, size_t n, unsigned flags, pc_t pc)
{
	if (!g.active || !n)
		return;
	rt_enter(pc);
	rt_next_is(p, n, false);
	rt_point();
	read_long(p, n, flags, pc);
}

/* ---- writes ---- */

/* What comes before each store; the flags of its event.  `is_late`: buffer_before(). */
static inline __attribute__((always_inline)) unsigned begin_write(void *p, size_t n, bool is_late,
								  unsigned flags, pc_t pc)
{
	rt_enter(pc);
	rt_next_is(p, n, true);
	rt_point();
	check_life((uintptr_t)p, n, true, flags, pc);
	if (buffer_is_on())
		buffer_before((uintptr_t)p, n, is_late, pc);
	return flags | rt_take_branch();
}

void cold_write_here(void *p, size_t n, unsigned flags, pc_t pc)
{
	if (!g.active || !n)
		return;
	flags = begin_write(p, n, false, flags, pc);
	/* An earlier one has been settled by rt_enter, unless it is late and waits for its turn. */
	g.pend = (struct pending){
		.addr = (uintptr_t)p, .size = n, .pc = pc, .flags = (uint8_t)flags
	};
	g.unsettled = UNSETTLED_OTHER;
}

void hook_late_here(void *p, size_t n, unsigned flags, pc_t pc)
{
	if (!g.active || !n)
		return;
	flags = begin_write(p, n, true, flags, pc);
	/* An earlier late write has been settled by rt_enter: only one hook lies before each store.
	 */
	g.late = (struct pending){
		.addr = (uintptr_t)p, .size = n, .pc = pc, .flags = (uint8_t)flags, .skip = 1
	};
	g.unsettled = UNSETTLED_OTHER;
}

void rt_libc_read(const void *p, size_t n, pc_t pc)
{
	/* If it cannot be read, the function itself meets that: a system call fails with EFAULT,
	 * all others crash. */
	if (n && likely(rt_can_read(p, n)))
		read_long(p, n, EVF_LIBC, pc);
}

void rt_libc_wrote(const void *p, size_t n, pc_t pc)
{
	if (!n)
		return;
	bool buffered = false;
	if (g.exploring)
		left_frame_stored((uintptr_t)p, n);
	if (!buffer_is_on() || !shadow_is_ours((uintptr_t)p))
		rt_memcpy((void *)SHADOW(p), p, n);
	else
		buffered = buffer_store((uintptr_t)p, n, MODE_PLAIN, pc);
	clock_saw_write((uintptr_t)p, n);
	ev_access(EV_WRITE, p, n, MODE_PLAIN, EVF_LIBC | (buffered ? EVF_BUFFERED : 0u), pc);
	if (buffered)
		buffer_make_room();
}

/* ---- the compilers' names, as far as they are not in hooks.S ---- */

#define ONE(name, body)               \
	RT_EXPORT void name(void *p); \
	RT_EXPORT void name(void *p)  \
	{                             \
		body;                 \
	}
#define LATE_WRITES(n)                                                          \
	ONE(__heddle_late_write##n, hook_late(p, n, 0, PC))                     \
	ONE(__heddle_late_unaligned_write##n, hook_late(p, n, 0, PC))           \
	ONE(__heddle_late_volatile_write##n, hook_late(p, n, EVF_VOLATILE, PC)) \
	ONE(__heddle_late_unaligned_volatile_write##n, hook_late(p, n, EVF_VOLATILE, PC))
LATE_WRITES(1)
LATE_WRITES(2)
LATE_WRITES(4)
LATE_WRITES(8)
LATE_WRITES(16)

static void cold_read_16(void *p, unsigned flags, pc_t pc)
{
	hook_read_long(p, 16, flags, pc);
}

ONE(__tsan_read16, cold_read_16(p, 0, PC))
ONE(__tsan_unaligned_read16, cold_read_16(p, 0, PC))
ONE(__tsan_volatile_read16, cold_read_16(p, EVF_VOLATILE, PC))
ONE(__tsan_unaligned_volatile_read16, cold_read_16(p, EVF_VOLATILE, PC))
ONE(__tsan_write16, cold_write(p, 16, 0, PC))
ONE(__tsan_unaligned_write16, cold_write(p, 16, 0, PC))
ONE(__tsan_volatile_write16, cold_write(p, 16, EVF_VOLATILE, PC))
ONE(__tsan_unaligned_volatile_write16, cold_write(p, 16, EVF_VOLATILE, PC))

/* A compound access is a read and a write; the window between them is a scheduling point. */
#define READ_WRITES(n)                                                                \
	ONE(__tsan_read_write##n, (cold_read_##n(p, 0, PC), cold_write(p, n, 0, PC))) \
	ONE(__tsan_unaligned_read_write##n, (cold_read_##n(p, 0, PC), cold_write(p, n, 0, PC)))
READ_WRITES(1)
READ_WRITES(2)
READ_WRITES(4)
READ_WRITES(8)
READ_WRITES(16)

RT_EXPORT void __tsan_read_range(void *p, size_t n);
RT_EXPORT void __tsan_write_range(void *p, size_t n);
RT_EXPORT void __heddle_late_write_range(void *p, size_t n);

RT_EXPORT void __tsan_read_range(void *p, size_t n)
{
	hook_read_long(p, n, 0, PC);
}

RT_EXPORT void __tsan_write_range(void *p, size_t n)
{
	cold_write(p, n, 0, PC);
}

RT_EXPORT void __heddle_late_write_range(void *p, size_t n)
{
	hook_late(p, n, 0, PC);
}

/* Accesses of any alignment that programs write as calls (sanitizer/common_interface_defs.h). */
#define UNALIGNED(bits, n)                                                              \
	RT_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(void *p);             \
	RT_EXPORT void __sanitizer_unaligned_store##bits(void *p, uint##bits##_t);      \
	RT_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(void *p)              \
	{                                                                               \
		uint##bits##_t value;                                                   \
		cold_read_##n(p, 0, PC);                                                \
		rt_memcpy(&value, p, n);                                                \
		return value;                                                           \
	}                                                                               \
	RT_EXPORT void __sanitizer_unaligned_store##bits(void *p, uint##bits##_t value) \
	{                                                                               \
		cold_write(p, n, 0, PC);                                                \
		rt_memcpy(p, &value, n);                                                \
	}
UNALIGNED(16, 2)
UNALIGNED(32, 4)
UNALIGNED(64, 8)
