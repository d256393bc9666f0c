/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic operations, which the hooks perform.
 *
 * For happens-before they order what the C11 memory orders say: a release store or fence hands a
 * clock to whoever acquires the value; a read-modify-write continues a release sequence, a plain
 * atomic store ends it. For the weak order every load is after the store that it read from,
 * whatever the orders: a run in which it read something else is another run. An operation and its
 * edge are made under the guard of the location's object, so that an edge always comes from the
 * value that was read.  A location gets its object from the first store, before the value is
 * there; a load reads the value first and then looks for the object, and if there is one it reads
 * again.
 *
 * Operations on some of the same bytes that begin elsewhere, or that are larger or smaller, have
 * objects of their own.  Once there was one (g.has_odd_atomics) each operation also looks at
 * those around it, before it is made and after, as it has only its own guard: a load is after all
 * that it may have read from, a store after all loads that did not see it.  That may be more
 * order than there was.
 *
 * Every operation is an access for the shadow, too: one that conflicts with plain accesses.
 */
#include "run/cells.h"
#include "run/ticks.h"

typedef unsigned __int128 u128;

enum { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };

static bool acquires(int order)
{
	return order == ACQUIRE || order == CONSUME || order == ACQ_REL || order == SEQ_CST;
}

static bool releases(int order)
{
	return order == RELEASE || order == ACQ_REL || order == SEQ_CST;
}

/* The value at s has been read. */
static inline __attribute__((always_inline)) void read_edge(struct thr *t, struct sync *s,
							    int order)
{
	if (!s->clock)
		return;
	if (acquires(order)) {
		clock_receive(t, s->clock);
	} else {
		clock_receive_weak(t, s->clock);
		clock_merge_hb(&t->fence, s->clock);
	}
}

/* And nothing is stored: the next store is after this. */
static inline void tell_read(struct thr *t, struct sync *s)
{
	if (s->kind != SYNC_ATOMIC || FAULT(16))
		return;
	if (unlikely(t->held_count))
		lock_catch_up(t);
	clock_publish_weak(t, &s->reads);
}

/*
 * A value is about to be stored.  For happens-before a store forgets what was there before, a
 * read-modify-write does not.  In the weak order it cannot be moved before an atomic access that
 * did not see it: that one would have seen another value, and its thread might have done
 * something else.  The object knows these accesses, except those from before there was an object
 * and those to other bytes.
 */
static inline void write_edge(struct thr *t, struct sync *s, unsigned size, int order, bool is_rmw)
{
	access_before_store(t, s->address, size, s->has_stores);
	s->has_stores = s->kind == SYNC_ATOMIC;
	if (!is_rmw)
		clock_receive_weak(t, s->clock);
	if (s->reads && s->kind == SYNC_ATOMIC) {
		clock_receive_weak(t, s->reads);
		s->reads->n = 0;
	}
	if (unlikely(t->held_count))
		lock_catch_up(t);
	clock_store(t, &s->clock, releases(order), is_rmw);
	WIDEN(4);
}

static void read_around(struct thr *t, struct sync *s, int order)
{
	read_edge(t, s, order);
}

static void write_around(struct thr *t, struct sync *s, int order)
{
	(void)order;
	clock_receive_weak(t, s->clock);
	clock_receive_weak(t, s->reads);
}

static void change_around(struct thr *t, struct sync *s, int order)
{
	read_around(t, s, order);
	write_around(t, s, order);
}

/* Inside of begin and end, which hold no guard then. */
static inline void look_around(struct thr *t, volatile const void *at, unsigned size,
			       sync_visit *visit, int order)
{
	if (unlikely(g.has_odd_atomics) && !FAULT(21))
		sync_around(t, (uintptr_t)at, size, visit, order);
}

static inline void fetch_all(struct thr *t, uintptr_t address)
{
	run_fetch(shadow_of(address));
	sync_fetch(t, address);
	run_fetch((const void *)address);
}

static inline void begin_access(struct thr *t, uintptr_t address, unsigned size, uint32_t flags,
				uintptr_t pc)
{
	fetch_all(t, address);
	if (likely(size <= 8 && (address & 7) + size <= 8))
		access_granule(t, shadow_of(address), address, size, flags | CELL_ATOMIC, pc);
	else
		access_range(t, address, size, flags | CELL_ATOMIC, pc);
	WIDEN(4);
}

static inline bool may_be_odd(uintptr_t address, unsigned size)
{
	if (CELLS != 4 || size > 8 || (address & 7) + size > 8 || g.has_odd_atomics)
		return true;
	uint32_t bytes = ((1u << size) - 1) << (address & 7) << 2;
	return odd_atomics(*(const volatile cells4 *)shadow_of(address), bytes);
}

static struct sync *begin(struct thr *t, volatile void *at, unsigned size, sync_visit *visit,
			  int order, uintptr_t pc)
{
	begin_access(t, (uintptr_t)at, size, CELL_WRITE, pc);
	look_around(t, at, size, visit, order);
	return sync_get_atomic(t, (uintptr_t)at, size);
}

static void end(struct thr *t, struct sync *s, volatile const void *at, unsigned size,
		sync_visit *visit, int order)
{
	if (s)
		sync_put(s);
	look_around(t, at, size, visit, order);
	if (visit == read_around)
		return;
	/* Odd loads do not take this object's guard and may have come before the store until now.
	 */
	if (unlikely(may_be_odd((uintptr_t)at, size)) && !FAULT(22))
		access_before_store(t, (uintptr_t)at, size, true);
	thr_tick(t);
}

#define LOAD(bits, type, read)                                                               \
	RUN_EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order);       \
	RUN_EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order)        \
	{                                                                                    \
		struct thr *t = run_self;                                                    \
		if (!t)                                                                      \
			return read;                                                         \
		begin_access(t, (uintptr_t)a, sizeof(type), 0, PC);                          \
		type value = read;                                                           \
		/* what nothing was ever stored to by an atomic operation needs no object */ \
		struct sync *s = sync_find_atomic(t, (uintptr_t)a, sizeof(type));            \
		if (s) {                                                                     \
			value = read;                                                        \
			read_edge(t, s, order);                                              \
			tell_read(t, s);                                                     \
		}                                                                            \
		end(t, s, a, sizeof(type), read_around, order);                              \
		return value;                                                                \
	}

#define STORE(bits, type, write)                                                          \
	RUN_EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order); \
	RUN_EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order)  \
	{                                                                                 \
		struct thr *t = run_self;                                                 \
		if (!t) {                                                                 \
			write;                                                            \
			return;                                                           \
		}                                                                         \
		struct sync *s = begin(t, a, sizeof(type), write_around, order, PC);      \
		if (s)                                                                    \
			write_edge(t, s, sizeof(type), order, false);                     \
		write;                                                                    \
		end(t, s, a, sizeof(type), write_around, order);                          \
	}

/* `change` sets `old`. */
#define RMW(bits, type, name, change)                                                      \
	RUN_EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order); \
	RUN_EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order)  \
	{                                                                                  \
		struct thr *t = run_self;                                                  \
		type old;                                                                  \
		if (!t) {                                                                  \
			change;                                                            \
			return old;                                                        \
		}                                                                          \
		struct sync *s = begin(t, a, sizeof(type), change_around, order, PC);      \
		if (s) {                                                                   \
			read_edge(t, s, order);                                            \
			write_edge(t, s, sizeof(type), order, true);                       \
		}                                                                          \
		change;                                                                    \
		end(t, s, a, sizeof(type), change_around, order);                          \
		return old;                                                                \
	}

/* A failed exchange is a load.  Returns the old value. */
#define EXCHANGE_IF(bits, type)                                                                    \
	static type exchange_if##bits(volatile type *a, type want, type v, int order, int failed,  \
				      uintptr_t pc)                                                \
	{                                                                                          \
		struct thr *t = run_self;                                                          \
		if (!t)                                                                            \
			return __sync_val_compare_and_swap(a, want, v);                            \
		struct sync *s = begin(t, a, sizeof(type), change_around, failed, pc);             \
		type old = __sync_val_compare_and_swap(a, want, v);                                \
		bool is_written = old == want;                                                     \
		if (s) {                                                                           \
			read_edge(t, s, is_written ? order : failed);                              \
			if (is_written)                                                            \
				write_edge(t, s, sizeof(type), order, true);                       \
			else                                                                       \
				tell_read(t, s);                                                   \
		}                                                                                  \
		end(t, s, a, sizeof(type), is_written ? change_around : read_around,               \
		    is_written ? order : failed);                                                  \
		return old;                                                                        \
	}                                                                                          \
	RUN_EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type want,    \
								   type v, int order, int failed); \
	RUN_EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type want,    \
								   type v, int order, int failed)  \
	{                                                                                          \
		return exchange_if##bits(a, want, v, order, failed, PC);                           \
	}                                                                                          \
	EXCHANGE_IF_TOLD(bits, type, strong)                                                       \
	EXCHANGE_IF_TOLD(bits, type, weak)

/* Those that tell the old value by a pointer; a weak one never fails without a reason. */
#define EXCHANGE_IF_TOLD(bits, type, how)                                                          \
	RUN_EXPORT int __tsan_atomic##bits##_compare_exchange_##how(                               \
		volatile type *a, type *want, type v, int order, int failed);                      \
	RUN_EXPORT int __tsan_atomic##bits##_compare_exchange_##how(volatile type *a, type *want,  \
								    type v, int order, int failed) \
	{                                                                                          \
		type old = exchange_if##bits(a, *want, v, order, failed, PC), wanted = *want;      \
		*want = old;                                                                       \
		return old == wanted;                                                              \
	}

#define SEQ __ATOMIC_SEQ_CST
#define ALL(bits, type)                                                   \
	LOAD(bits, type, __atomic_load_n(a, SEQ))                         \
	STORE(bits, type, __atomic_store_n(a, v, SEQ))                    \
	RMW(bits, type, exchange, old = __atomic_exchange_n(a, v, SEQ))   \
	RMW(bits, type, fetch_add, old = __atomic_fetch_add(a, v, SEQ))   \
	RMW(bits, type, fetch_sub, old = __atomic_fetch_sub(a, v, SEQ))   \
	RMW(bits, type, fetch_and, old = __atomic_fetch_and(a, v, SEQ))   \
	RMW(bits, type, fetch_or, old = __atomic_fetch_or(a, v, SEQ))     \
	RMW(bits, type, fetch_xor, old = __atomic_fetch_xor(a, v, SEQ))   \
	RMW(bits, type, fetch_nand, old = __atomic_fetch_nand(a, v, SEQ)) \
	EXCHANGE_IF(bits, type)

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)

/* Sixteen bytes by compare-and-swap, without libatomic. */
#define LOOP(new)         \
	do {              \
		old = *a; \
	} while (!__sync_bool_compare_and_swap(a, old, new))
LOAD(128, u128, __sync_val_compare_and_swap((volatile u128 *)a, (u128)0, (u128)0))
STORE(128, u128, u128 old; LOOP(v))
RMW(128, u128, exchange, LOOP(v))
RMW(128, u128, fetch_add, LOOP(old + v))
RMW(128, u128, fetch_sub, LOOP(old - v))
RMW(128, u128, fetch_and, LOOP(old &v))
RMW(128, u128, fetch_or, LOOP(old | v))
RMW(128, u128, fetch_xor, LOOP(old ^ v))
RMW(128, u128, fetch_nand, LOOP(~(old &v)))
EXCHANGE_IF(128, u128)

RUN_EXPORT void __tsan_atomic_thread_fence(int order);
RUN_EXPORT void __tsan_atomic_thread_fence(int order)
{
	struct thr *t = run_self;
	__atomic_thread_fence(SEQ);
	if (!t)
		return;
	if (acquires(order) && t->fence)
		clock_receive_hb(t, t->fence);
	if (releases(order)) {
		lock_catch_up(t);
		clock_replace(t, &t->sent);
		thr_tick(t);
	}
}

RUN_EXPORT void __tsan_atomic_signal_fence(int order);
RUN_EXPORT void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__asm__ volatile("" : : : "memory");
}
