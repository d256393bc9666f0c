/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic operations, which the hooks perform.
 *
 * Happens-before follows the C11 memory orders: a release store or fence hands a clock to the
 * thread that acquires the value; a read-modify-write continues a release sequence, a plain atomic
 * store ends it.
 *
 * In the weak order every load is after the store that it read from, whatever the memory orders
 * are: an execution in which it read something else is another one.
 *
 * Invariant: an edge comes from the value that was read.  Operation and edge are made under the
 * guard of the location's object.  The first store makes the object before it stores the value; a
 * load reads the value, then looks up the object, and reads again under its guard if there is one.
 *
 * Mixed sizes: operations that overlap but have another address or size have objects of their
 * own.  Once there is an overlap (run_state.has_mixed_atomics) each operation also visits the
 * overlapping objects, before and after it is made, because it holds only its own guard: a load is
 * after every store that it may have read from, a store is after all loads that did not see it.
 * That may be more order than there is.
 *
 * Every operation is also an access for the shadow, which conflicts with plain accesses.
 */
#include "run/cells.h"
#include "run/clock.h"
#include "run/fault.h"
#include "run/guard.h"
#include "run/lock.h"
#include "run/memory.h"
#include "run/object.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/thr.h"
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

/*
 * Both clocks of the object have nothing that t does not know, in the orders in which they have
 * it: t has made the last operation, and knew it then.  A thread's clock never loses anything.
 * So neither its operations nor a fence after them have anything to receive.
 */
static inline bool is_known(const struct thr *t, const struct object *s)
{
	if (FAULT(RUN_ATOMIC_KNOWN_TO_ALL))
		return s->known_by;
	return s->known_by == t->slot + 1 &&
	       s->known_epoch >= __atomic_load_n(&t->shared.first_epoch, __ATOMIC_RELAXED);
}

static inline void set_known(const struct thr *t, struct object *s, bool is_so)
{
	s->known_by = is_so ? (uint16_t)(t->slot + 1) : 0;
	s->known_epoch = t->epoch;
}

/* The value at s has been read. */
static inline __attribute__((always_inline)) void read_edge(struct thr *t, struct object *s,
							    int order)
{
	if (!s->clock || is_known(t, s))
		return;
	if (acquires(order)) {
		clock_join(t, s->clock);
	} else {
		clock_join_weak(t, s->clock);
		clock_merge_hb(&t->fences.acquired, s->clock);
	}
}

/* A load: the next store is ordered after it. */
static inline void publish_read(struct thr *t, struct object *s, int order)
{
	bool has_reads = s->reads && s->reads->n;
	set_known(t, s, is_known(t, s) || (acquires(order) && !has_reads));
	if (s->kind != OBJECT_ATOMIC)
		return;
	if (FAULT(RUN_ATOMIC_READ_FORGOTTEN))
		return;
	if (unlikely(t->held_count))
		lock_catch_up(t);
	clock_send_weak(t, &s->reads);
}

/*
 * A value is about to be stored.  In happens-before a store discards the clock of the location, a
 * read-modify-write does not.  In the weak order a store cannot be moved before an atomic access
 * that did not see it: that access would have seen another value, and its thread might have done
 * something else.  The object knows these accesses, except those from before it existed and those
 * to other bytes (access_before_store).
 */
static inline void write_edge(struct thr *t, struct object *s, unsigned size, int order,
			      bool is_rmw)
{
	access_before_store(t, s->address, size, s->has_stores);
	s->has_stores = s->kind == OBJECT_ATOMIC;
	bool was_known = is_known(t, s);
	if (!is_rmw && !was_known)
		clock_join_weak(t, s->clock);
	if (s->reads && s->kind == OBJECT_ATOMIC) {
		if (!was_known)
			clock_join_weak(t, s->reads);
		s->reads->n = 0;
	}
	set_known(t, s, was_known || !is_rmw || acquires(order));
	if (unlikely(t->held_count))
		lock_catch_up(t);
	clock_store(t, &s->clock, releases(order), is_rmw);
	WIDEN(4);
}

static void read_overlapping(struct thr *t, struct object *s, int order)
{
	read_edge(t, s, order);
}

static void write_overlapping(struct thr *t, struct object *s, int order)
{
	(void)order;
	clock_join_weak(t, s->clock);
	clock_join_weak(t, s->reads);
}

static void change_overlapping(struct thr *t, struct object *s, int order)
{
	read_overlapping(t, s, order);
	write_overlapping(t, s, order);
}

/* Called by begin and end, which hold no guard then. */
static inline void visit_overlapping(struct thr *t, volatile const void *at, unsigned size,
				     object_visit *visit, int order)
{
	if (FAULT(RUN_ODD_ATOMICS_ALONE))
		return;
	if (unlikely(run_state.has_mixed_atomics))
		object_visit_overlapping(t, (uintptr_t)at, size, visit, order);
}

static inline void prefetch_all(struct thr *t, uintptr_t address)
{
	run_prefetch(shadow_of(address));
	object_prefetch(t, address);
	run_prefetch((const void *)address);
}

static inline void begin_access(struct thr *t, uintptr_t address, unsigned size, uint32_t flags,
				uintptr_t pc)
{
	prefetch_all(t, address);
	if (likely(size <= 8 && (address & 7) + size <= 8))
		access_granule(t, shadow_of(address), address, size, flags | CELL_ATOMIC, pc);
	else
		access_range(t, address, size, flags | CELL_ATOMIC, pc);
	WIDEN(4);
}

static inline bool may_be_mixed(uintptr_t address, unsigned size)
{
	if (CELLS != 4 || size > 8 || (address & 7) + size > 8 || run_state.has_mixed_atomics)
		return true;
	uint32_t bytes = ((1u << size) - 1) << (address & 7) << 2;
	return mixed_atomics(*(const volatile cells4 *)shadow_of(address), bytes);
}

/* object_take_atomic, if the thread has used the atomic lately; NULL: it has not. */
static inline struct object *take_cached(struct thr *t, uintptr_t address, unsigned size)
{
	struct object_cached *m = cached_at(t, address);
	struct object *s = &g_objects[m->index];
	if (unlikely(m->address != address))
		return NULL;
	run_lock(&s->guard);
	if (likely(s->address == address && s->kind == OBJECT_ATOMIC && s->size == size)) {
		m->clock = s->clock;
		m->reads = s->reads;
		return s;
	}
	run_unlock(&s->guard);
	return NULL;
}

static struct object *begin(struct thr *t, volatile void *at, unsigned size, object_visit *visit,
			    int order, uintptr_t pc)
{
	begin_access(t, (uintptr_t)at, size, CELL_WRITE, pc);
	visit_overlapping(t, at, size, visit, order);
	struct object *s = take_cached(t, (uintptr_t)at, size);
	return s ? s : object_take_atomic(t, (uintptr_t)at, size);
}

static void end(struct thr *t, struct object *s, volatile const void *at, unsigned size,
		object_visit *visit, int order)
{
	if (s)
		object_put(s);
	visit_overlapping(t, at, size, visit, order);
	if (visit == read_overlapping)
		return;
	/* Overlapping loads do not take this guard: they may have come in between. */
	if (unlikely(may_be_mixed((uintptr_t)at, size))) {
		if (!FAULT(RUN_ODD_LOADS_FORGOTTEN))
			access_before_store(t, (uintptr_t)at, size, true);
	}
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
		struct object *s = take_cached(t, (uintptr_t)a, sizeof(type));               \
		if (!s)                                                                      \
			s = object_find_atomic(t, (uintptr_t)a, sizeof(type));               \
		if (s) {                                                                     \
			value = read;                                                        \
			read_edge(t, s, order);                                              \
			publish_read(t, s, order);                                           \
		}                                                                            \
		end(t, s, a, sizeof(type), read_overlapping, order);                         \
		return value;                                                                \
	}

#define STORE(bits, type, write)                                                            \
	RUN_EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order);   \
	RUN_EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order)    \
	{                                                                                   \
		struct thr *t = run_self;                                                   \
		if (!t) {                                                                   \
			write;                                                              \
			return;                                                             \
		}                                                                           \
		struct object *s = begin(t, a, sizeof(type), write_overlapping, order, PC); \
		if (s)                                                                      \
			write_edge(t, s, sizeof(type), order, false);                       \
		write;                                                                      \
		end(t, s, a, sizeof(type), write_overlapping, order);                       \
	}

/* `change` sets `old`. */
#define RMW(bits, type, name, change)                                                        \
	RUN_EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order);   \
	RUN_EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order)    \
	{                                                                                    \
		struct thr *t = run_self;                                                    \
		type old;                                                                    \
		if (!t) {                                                                    \
			change;                                                              \
			return old;                                                          \
		}                                                                            \
		struct object *s = begin(t, a, sizeof(type), change_overlapping, order, PC); \
		if (s) {                                                                     \
			read_edge(t, s, order);                                              \
			write_edge(t, s, sizeof(type), order, true);                         \
		}                                                                            \
		change;                                                                      \
		end(t, s, a, sizeof(type), change_overlapping, order);                       \
		return old;                                                                  \
	}

/* A failed exchange is a load.  Returns the old value. */
#define EXCHANGE_IF(bits, type)                                                                    \
	static type exchange_if##bits(volatile type *a, type want, type v, int order, int failed,  \
				      uintptr_t pc)                                                \
	{                                                                                          \
		struct thr *t = run_self;                                                          \
		if (!t)                                                                            \
			return __sync_val_compare_and_swap(a, want, v);                            \
		struct object *s = begin(t, a, sizeof(type), change_overlapping, failed, pc);      \
		type old = __sync_val_compare_and_swap(a, want, v);                                \
		bool is_written = old == want;                                                     \
		if (s) {                                                                           \
			read_edge(t, s, is_written ? order : failed);                              \
			if (is_written)                                                            \
				write_edge(t, s, sizeof(type), order, true);                       \
			else                                                                       \
				publish_read(t, s, failed);                                        \
		}                                                                                  \
		end(t, s, a, sizeof(type), is_written ? change_overlapping : read_overlapping,     \
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
	EXCHANGE_IF_BY_POINTER(bits, type, strong)                                                 \
	EXCHANGE_IF_BY_POINTER(bits, type, weak)

/* The old value is returned by a pointer; a weak exchange never fails spuriously. */
#define EXCHANGE_IF_BY_POINTER(bits, type, how)                                                    \
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
	if (acquires(order) && t->fences.acquired)
		clock_join_hb(t, t->fences.acquired);
	if (releases(order)) {
		lock_catch_up(t);
		clock_replace(t, &t->fences.released);
		thr_tick(t);
	}
}

RUN_EXPORT void __tsan_atomic_signal_fence(int order);
RUN_EXPORT void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__asm__ volatile("" : : : "memory");
}
