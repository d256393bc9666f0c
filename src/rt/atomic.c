/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C11 atomics.  The compilers' hooks perform the operation, so the runtime owns it.  Natively
 * each is done with the processor's own atomic instruction in sequentially consistent order,
 * which every weaker order allows; controlled, one thread runs at a time and plain instructions
 * do.
 */
#include "rt/buffer.h"
#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "wire/fault.h"
#include "rt/heap.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/mem.h"
#include "rt/rt.h"
#include "rt/shadow.h"
#include "wire/wire.h"

typedef unsigned __int128 u128;

#define MODE_OF(order) (((unsigned)(order)&7) + 1)

/*
 * Before the operation: the hook, the scheduling point, and the check that the memory is alive.
 * What needs an empty buffer waits for that first, also if it fails then: others may free the
 * memory in the meantime, and a search that turns both around would otherwise plan it without the
 * flushes.
 */
static void before(const volatile void *p, size_t n, bool writes, bool drains, pc_t pc)
{
	rt_enter(pc);
	rt_next_is(p, n, writes);
	rt_point();
	if (drains)
		buffer_empty();
	if (heap_contains((uintptr_t)p) && unlikely(heap_state((uintptr_t)p) > HEAP_INSIDE))
		heap_check_range((uintptr_t)p, n, writes, false, pc);
	else if (is_stack_address((uintptr_t)p))
		left_frame_check((uintptr_t)p, n, writes, false, pc);
}

static void check_old(const volatile void *p, size_t n, pc_t pc)
{
	if (unlikely(rt_memcmp((const void *)p, (const void *)SHADOW(p), n)))
		shadow_mismatch((uintptr_t)p, n, pc);
	clock_saw_read((uintptr_t)p, n);
}

static void stored(const volatile void *p, size_t n)
{
	if (g.exploring)
		left_frame_stored((uintptr_t)p, n);
	rt_memcpy((void *)SHADOW(p), (const void *)p, n);
	clock_saw_write((uintptr_t)p, n);
}

static void did_load(const volatile void *p, size_t n, int order, pc_t pc)
{
	check_old(p, n, pc);
	ev_access(EV_READ, p, n, MODE_OF(order), 0, pc);
}

static void did_store(const volatile void *p, size_t n, int order, pc_t pc)
{
	stored(p, n);
	ev_access(EV_WRITE, p, n, MODE_OF(order), 0, pc);
}

/* A store in sequentially consistent order finds the buffer empty and passes it by. */
static bool passes_buffer(int order)
{
	if (FAULT(SC_STORE_BUFFERED))
		return false;
	return MODE_OF(order) == MODE_SEQ_CST;
}

static void did_buffered_store(const volatile void *p, size_t n, int order, pc_t pc)
{
	left_frame_stored((uintptr_t)p, n);
	bool buffered = buffer_store((uintptr_t)p, n, MODE_OF(order), pc);
	clock_saw_write((uintptr_t)p, n);
	ev_access(EV_WRITE, p, n, MODE_OF(order), buffered ? EVF_BUFFERED : 0, pc);
	buffer_make_room();
}

/* A read-modify-write finds the buffer empty, whether it writes or not. */
static void before_rmw(const volatile void *p, size_t n, pc_t pc)
{
	bool empties = true;
	if (FAULT(RMW_KEEPS_BUFFER))
		empties = false;
	before(p, n, true, empties, pc);
	check_old(p, n, pc);
}

/* The hook itself reads the expected value, and writes it on failure, in the caller's memory. */
static void before_expected(const void *expected, size_t n, pc_t pc)
{
	rt_enter(pc);
	rt_libc_read(expected, n, pc);
}

/* 16 bytes have no plain atomic load or store on this processor: both are compare-exchanges. */
static u128 native_load128(volatile u128 *p)
{
	return __sync_val_compare_and_swap(p, 0, 0);
}

static u128 native_exchange128(volatile u128 *p, u128 v)
{
	u128 old = *p, seen;
	while ((seen = __sync_val_compare_and_swap(p, old, v)) != old)
		old = seen;
	return old;
}

#define BASIC(bits, T, LOAD, EXCHANGE)                                                \
	RT_EXPORT T __tsan_atomic##bits##_load(const volatile T *p, int order);       \
	RT_EXPORT T __tsan_atomic##bits##_load(const volatile T *p, int order)        \
	{                                                                             \
		if (!g.active)                                                        \
			return LOAD((volatile T *)p);                                 \
		before(p, sizeof(T), false, false, PC);                               \
		did_load(p, sizeof(T), order, PC);                                    \
		return *p;                                                            \
	}                                                                             \
	RT_EXPORT void __tsan_atomic##bits##_store(volatile T *p, T v, int order);    \
	RT_EXPORT void __tsan_atomic##bits##_store(volatile T *p, T v, int order)     \
	{                                                                             \
		if (!g.active) {                                                      \
			EXCHANGE(p, v);                                               \
			return;                                                       \
		}                                                                     \
		before(p, sizeof(T), true, passes_buffer(order), PC);                 \
		bool is_buffered = buffer_is_on() && !passes_buffer(order);           \
		if (is_buffered)                                                      \
			buffer_before((uintptr_t)p, sizeof(T), false, PC);            \
		*p = v;                                                               \
		if (is_buffered)                                                      \
			did_buffered_store(p, sizeof(T), order, PC);                  \
		else                                                                  \
			did_store(p, sizeof(T), order, PC);                           \
	}                                                                             \
	RT_EXPORT T __tsan_atomic##bits##_compare_exchange_val(                       \
		volatile T *p, T expected, T desired, int order, int fail_order);     \
	RT_EXPORT T __tsan_atomic##bits##_compare_exchange_val(                       \
		volatile T *p, T expected, T desired, int order, int fail_order)      \
	{                                                                             \
		if (!g.active)                                                        \
			return __sync_val_compare_and_swap(p, expected, desired);     \
		return cas##bits(p, expected, desired, order, fail_order, PC);        \
	}                                                                             \
	RT_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                  \
		volatile T *p, T *expected, T desired, int order, int fail_order);    \
	RT_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                  \
		volatile T *p, T *expected, T desired, int order, int fail_order)     \
	{                                                                             \
		if (g.active)                                                         \
			before_expected(expected, sizeof(T), PC);                     \
		T want = *expected;                                                   \
		T old = g.active ? cas##bits(p, want, desired, order, fail_order, PC) \
				 : __sync_val_compare_and_swap(p, want, desired);     \
		if (old == want)                                                      \
			return 1;                                                     \
		*expected = old;                                                      \
		if (g.active)                                                         \
			rt_libc_wrote(expected, sizeof(T), PC);                       \
		return 0;                                                             \
	}                                                                             \
	RT_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(                    \
		volatile T *p, T *expected, T desired, int order, int fail_order)     \
		__attribute__((alias("__tsan_atomic" #bits "_compare_exchange_strong")));

/*
 * What lies in a hook's frame is part of the state in which a thread comes to the hook again
 * (await.c), also what an earlier call has left there.
 */
#define FORGET(variable)                                             \
	do {                                                         \
		(variable) = 0;                                      \
		__asm__ volatile("" : : "r"(&(variable)) : "memory"); \
	} while (0)

#define CAS(bits, T)                                                                           \
	static T cas##bits(volatile T *p, T expected, T desired, int order, int fail_order,    \
			   pc_t pc)                                                            \
	{                                                                                      \
		before_rmw(p, sizeof(T), pc);                                                  \
		T old = *p;                                                                    \
		if (old == expected) {                                                         \
			*p = desired;                                                          \
			stored(p, sizeof(T));                                                  \
			ev_rmw(p, sizeof(T), &old, &desired, MODE_OF(order), 0, pc);           \
		} else {                                                                       \
			ev_rmw(p, sizeof(T), &old, &old, MODE_OF(fail_order), EVF_FAILED, pc); \
		}                                                                              \
		T seen = old;                                                                  \
		FORGET(old);                                                                   \
		return seen;                                                                   \
	}

#define RMW(bits, T, name, expression)                                            \
	RT_EXPORT T __tsan_atomic##bits##_##name(volatile T *p, T v, int order);  \
	RT_EXPORT T __tsan_atomic##bits##_##name(volatile T *p, T v, int order)   \
	{                                                                         \
		T old, next;                                                      \
		if (!g.active) {                                                  \
			T seen = *p;                                              \
			do {                                                      \
				old = seen;                                       \
				next = (T)(expression);                           \
				seen = __sync_val_compare_and_swap(p, old, next); \
			} while (seen != old);                                    \
			return old;                                               \
		}                                                                 \
		before_rmw(p, sizeof(T), PC);                                     \
		old = *p;                                                         \
		next = (T)(expression);                                           \
		*p = next;                                                        \
		stored(p, sizeof(T));                                             \
		ev_rmw(p, sizeof(T), &old, &next, MODE_OF(order), 0, PC);         \
		T seen = old;                                                     \
		FORGET(old);                                                      \
		FORGET(next);                                                     \
		return seen;                                                      \
	}

#define ALL_RMW(bits, T)                 \
	RMW(bits, T, exchange, v)        \
	RMW(bits, T, fetch_add, old + v) \
	RMW(bits, T, fetch_sub, old - v) \
	RMW(bits, T, fetch_and, old &v)  \
	RMW(bits, T, fetch_or, old | v)  \
	RMW(bits, T, fetch_xor, old ^ v) \
	RMW(bits, T, fetch_nand, ~(old & v))

#define LOAD_N(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define EXCHANGE_N(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

CAS(8, uint8_t)
CAS(16, uint16_t)
CAS(32, uint32_t)
CAS(64, uint64_t)
CAS(128, u128)
BASIC(8, uint8_t, LOAD_N, EXCHANGE_N)
BASIC(16, uint16_t, LOAD_N, EXCHANGE_N)
BASIC(32, uint32_t, LOAD_N, EXCHANGE_N)
BASIC(64, uint64_t, LOAD_N, EXCHANGE_N)
BASIC(128, u128, native_load128, native_exchange128)
ALL_RMW(8, uint8_t)
ALL_RMW(16, uint16_t)
ALL_RMW(32, uint32_t)
ALL_RMW(64, uint64_t)
ALL_RMW(128, u128)

RT_EXPORT void __tsan_atomic_thread_fence(int order);
RT_EXPORT void __tsan_atomic_signal_fence(int order);

RT_EXPORT void __tsan_atomic_thread_fence(int order)
{
	if (!g.active) {
		__sync_synchronize();
		return;
	}
	/* C11 7.17.4.1: with memory_order_consume it is an acquire fence. */
	unsigned mode = MODE_OF(order) == MODE_CONSUME ? MODE_ACQUIRE : MODE_OF(order);
	rt_enter(PC);
	rt_point();
	if (buffer_is_on())
		buffer_fence(mode);
	ev_sync(EV_FENCE, 0, mode, 0, 0, PC);
}

RT_EXPORT void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__asm__ volatile("" ::: "memory");
}
