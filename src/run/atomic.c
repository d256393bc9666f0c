/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic operations, which the hooks perform.
 *
 * For happens-before they order what the C11 memory orders say: a release store or fence hands a clock to
 * whoever acquires the value; a read-modify-write continues a release sequence, a plain atomic store ends it.
 * For the weak order every load is after the store that it read from, whatever the orders: a run in which it
 * read something else is another run. An operation and its edge are made under the guard of the location's
 * object, so that an edge always comes from the value that was read.  A location gets its object from the
 * first store, before the value is there; a load reads the value first and then looks for the object, and if
 * there is one it reads again.
 *
 * Every operation is an access for the shadow, too: one that conflicts with plain accesses.
 */
#include "run/fault.h"
#include "run/run.h"

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
static void read_edge(struct thr *t, struct sync *s, int order)
{
	if (!s->clock)
		return;
	clock_receive_weak(t, s->clock);
	if (acquires(order))
		clock_receive_hb(t, s->clock);
	else
		clock_merge_hb(&t->fence, s->clock);
}

/* A value is about to be stored.  A store forgets what was there before, a read-modify-write does not. */
static void write_edge(struct thr *t, struct sync *s, unsigned size, int order, bool is_rmw)
{
	if (!FAULT(16))
		access_before_store(t, s->address, size);
	clock_store(t, &s->clock, releases(order), is_rmw);
}

static struct sync *begin(struct thr *t, volatile void *at, unsigned size, uint32_t flags, uintptr_t pc)
{
	if (size == 16)
		access_range(t, (uintptr_t)at, 16, flags | CELL_ATOMIC, pc);
	else
		access_any(t, (uintptr_t)at, size, flags | CELL_ATOMIC, pc);
	if (FAULT(16))
		access_before_store(t, (uintptr_t)at, size);
	WIDEN(4);
	return sync_get(t, (uintptr_t)at, SYNC_ATOMIC);
}

static void begin_load(struct thr *t, const volatile void *at, unsigned size, uintptr_t pc)
{
	if (size == 16)
		access_range(t, (uintptr_t)at, 16, CELL_ATOMIC, pc);
	else
		access_any(t, (uintptr_t)at, size, CELL_ATOMIC, pc);
}

/* A load that nothing was ever stored for by an atomic operation needs no object. */
static struct sync *find(struct thr *t, const volatile void *at)
{
	WIDEN(4);
	return sync_find(t, (uintptr_t)at);
}

static void end(struct thr *t, struct sync *s, bool is_written)
{
	if (s)
		sync_put(s);
	if (is_written)
		thr_tick(t);
}

#define LOAD(bits, type, read)                                                                             \
	RUN_EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order);                     \
	RUN_EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order)                      \
	{                                                                                                  \
		struct thr *t = run_self;                                                                  \
		if (!t)                                                                                    \
			return read;                                                                       \
		begin_load(t, a, sizeof(type), PC);                                                        \
		type value = read;                                                                         \
		struct sync *s = find(t, a);                                                               \
		if (s) {                                                                                   \
			value = read;                                                                      \
			read_edge(t, s, order);                                                            \
		}                                                                                          \
		end(t, s, false);                                                                          \
		return value;                                                                              \
	}

#define STORE(bits, type, write)                                                                           \
	RUN_EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order);                  \
	RUN_EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order)                   \
	{                                                                                                  \
		struct thr *t = run_self;                                                                  \
		if (!t) {                                                                                  \
			write;                                                                             \
			return;                                                                            \
		}                                                                                          \
		struct sync *s = begin(t, a, sizeof(type), CELL_WRITE, PC);                                \
		if (s)                                                                                     \
			write_edge(t, s, sizeof(type), order, false);                                      \
		write;                                                                                     \
		end(t, s, true);                                                                           \
	}

/* `change` sets `old`. */
#define RMW(bits, type, name, change)                                                                      \
	RUN_EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order);                 \
	RUN_EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order)                  \
	{                                                                                                  \
		struct thr *t = run_self;                                                                  \
		type old;                                                                                  \
		if (!t) {                                                                                  \
			change;                                                                            \
			return old;                                                                        \
		}                                                                                          \
		struct sync *s = begin(t, a, sizeof(type), CELL_WRITE, PC);                                \
		if (s) {                                                                                   \
			read_edge(t, s, order);                                                            \
			write_edge(t, s, sizeof(type), order, true);                                       \
		}                                                                                          \
		change;                                                                                    \
		end(t, s, true);                                                                           \
		return old;                                                                                \
	}

/* A failed exchange is a load.  Returns the old value. */
#define EXCHANGE_IF(bits, type)                                                                            \
	static type exchange_if##bits(volatile type *a, type want, type v, int order, int failed,          \
				      uintptr_t pc)                                                        \
	{                                                                                                  \
		struct thr *t = run_self;                                                                  \
		if (!t)                                                                                    \
			return __sync_val_compare_and_swap(a, want, v);                                    \
		struct sync *s = begin(t, a, sizeof(type), CELL_WRITE, pc);                                \
		type old = __sync_val_compare_and_swap(a, want, v);                                        \
		bool is_written = old == want;                                                             \
		if (s) {                                                                                   \
			read_edge(t, s, is_written ? order : failed);                                      \
			if (is_written)                                                                    \
				write_edge(t, s, sizeof(type), order, true);                               \
		}                                                                                          \
		end(t, s, is_written);                                                                     \
		return old;                                                                                \
	}                                                                                                  \
	RUN_EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type want, type v,    \
								   int order, int failed);                 \
	RUN_EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type want, type v,    \
								   int order, int failed)                  \
	{                                                                                                  \
		return exchange_if##bits(a, want, v, order, failed, PC);                                   \
	}                                                                                                  \
	EXCHANGE_IF_TOLD(bits, type, strong)                                                               \
	EXCHANGE_IF_TOLD(bits, type, weak)

/* Those that tell the old value by a pointer; a weak one never fails without a reason. */
#define EXCHANGE_IF_TOLD(bits, type, how)                                                                  \
	RUN_EXPORT int __tsan_atomic##bits##_compare_exchange_##how(volatile type *a, type *want, type v,  \
								    int order, int failed);                \
	RUN_EXPORT int __tsan_atomic##bits##_compare_exchange_##how(volatile type *a, type *want, type v,  \
								    int order, int failed)                 \
	{                                                                                                  \
		type old = exchange_if##bits(a, *want, v, order, failed, PC), wanted = *want;              \
		*want = old;                                                                               \
		return old == wanted;                                                                      \
	}

#define SEQ __ATOMIC_SEQ_CST
#define ALL(bits, type)                                                     \
	LOAD(bits, type, __atomic_load_n(a, SEQ))                           \
	STORE(bits, type, __atomic_store_n(a, v, SEQ))                      \
	RMW(bits, type, exchange, old = __atomic_exchange_n(a, v, SEQ))     \
	RMW(bits, type, fetch_add, old = __atomic_fetch_add(a, v, SEQ))     \
	RMW(bits, type, fetch_sub, old = __atomic_fetch_sub(a, v, SEQ))     \
	RMW(bits, type, fetch_and, old = __atomic_fetch_and(a, v, SEQ))     \
	RMW(bits, type, fetch_or, old = __atomic_fetch_or(a, v, SEQ))       \
	RMW(bits, type, fetch_xor, old = __atomic_fetch_xor(a, v, SEQ))     \
	RMW(bits, type, fetch_nand, old = __atomic_fetch_nand(a, v, SEQ))   \
	EXCHANGE_IF(bits, type)

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)

/* Sixteen bytes by compare-and-swap, without libatomic. */
#define LOOP(new)                                                           \
	do {                                                                \
		old = *a;                                                   \
	} while (!__sync_bool_compare_and_swap(a, old, new))
LOAD(128, u128, __sync_val_compare_and_swap((volatile u128 *)a, (u128)0, (u128)0))
STORE(128, u128, u128 old; LOOP(v))
RMW(128, u128, exchange, LOOP(v))
RMW(128, u128, fetch_add, LOOP(old + v))
RMW(128, u128, fetch_sub, LOOP(old - v))
RMW(128, u128, fetch_and, LOOP(old & v))
RMW(128, u128, fetch_or, LOOP(old | v))
RMW(128, u128, fetch_xor, LOOP(old ^ v))
RMW(128, u128, fetch_nand, LOOP(~(old & v)))
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
