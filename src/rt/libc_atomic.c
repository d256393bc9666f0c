/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic objects of any size: what the compilers call for structs that no instruction covers,
 * normally libatomic's. Each is one step.  Natively one of a few spin locks, picked by the
 * address, makes it atomic; all calls of the process come here, so no other locks exist for the
 * same objects.
 */
#include "rt/buffer.h"
#include "rt/clock.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/shadow.h"
#include "wire/wire.h"

#define LOCKS 64
#define MODE_OF(order) (((unsigned)(order)&7) + 1)

static RT_STATE struct {
	_Alignas(64) volatile bool is_held;
} locks[LOCKS];

static volatile bool *native_lock(const volatile void *p)
{
	volatile bool *lock = &locks[((uintptr_t)p >> 4) % LOCKS].is_held;
	while (__atomic_exchange_n(lock, true, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	return lock;
}

static void native_unlock(volatile bool *lock)
{
	__atomic_store_n(lock, false, __ATOMIC_RELEASE);
}

/* Memory must hold what the events say, and must be alive. */
static void before(const void *p, size_t n, bool writes, pc_t pc)
{
	if (writes) {
		buffer_empty(); /* libatomic has a lock around it */
		libc_will_write(p, n, pc);
	}
	if (rt_memcmp(p, (const void *)SHADOW(p), n))
		shadow_mismatch((uintptr_t)p, n, pc);
	clock_saw_read((uintptr_t)p, n);
}

static void set(void *p, const void *value, size_t n)
{
	rt_memcpy(p, value, n);
	shadow_snapshot((uintptr_t)p, n);
	clock_saw_write((uintptr_t)p, n);
}

static void give(void *out, const void *value, size_t n, pc_t pc)
{
	libc_will_write(out, n, pc);
	rt_memcpy(out, value, n);
	rt_libc_wrote(out, n, pc);
}

/* The plain names are known to the compilers as builtins of another shape. */
RT_EXPORT void generic_load(size_t n, const void *p, void *out, int order) __asm__("__atomic_load");
RT_EXPORT void generic_store(size_t n, void *p, const void *value,
			     int order) __asm__("__atomic_store");
RT_EXPORT void generic_exchange(size_t n, void *p, const void *value, void *out,
				int order) __asm__("__atomic_exchange");
RT_EXPORT bool generic_compare_exchange(size_t n, void *p, void *expected, const void *desired,
					int order,
					int fail_order) __asm__("__atomic_compare_exchange");

RT_EXPORT void generic_load(size_t n, const void *p, void *out, int order)
{
	if (!libc_enter(PC)) {
		volatile bool *lock = native_lock(p);
		rt_memcpy(out, p, n);
		native_unlock(lock);
		return;
	}
	before(p, n, false, PC);
	ev_access(EV_READ, p, n, MODE_OF(order), EVF_LIBC, PC);
	give(out, p, n, PC);
}

RT_EXPORT void generic_store(size_t n, void *p, const void *value, int order)
{
	if (!libc_enter(PC)) {
		volatile bool *lock = native_lock(p);
		rt_memcpy(p, value, n);
		native_unlock(lock);
		return;
	}
	rt_libc_read(value, n, PC);
	libc_will_write(p, n, PC);
	buffer_empty();
	set(p, value, n);
	ev_access(EV_WRITE, p, n, MODE_OF(order), EVF_LIBC, PC);
}

RT_EXPORT void generic_exchange(size_t n, void *p, const void *value, void *out, int order)
{
	if (!libc_enter(PC)) {
		volatile bool *lock = native_lock(p);
		rt_memcpy(out, p, n);
		rt_memcpy(p, value, n);
		native_unlock(lock);
		return;
	}
	rt_libc_read(value, n, PC);
	before(p, n, true, PC);
	ev_rmw(p, n, p, value, MODE_OF(order), EVF_LIBC, PC);
	give(out, p, n, PC);
	set(p, value, n);
}

RT_EXPORT bool generic_compare_exchange(size_t n, void *p, void *expected, const void *desired,
					int order, int fail_order)
{
	if (!libc_enter(PC)) {
		volatile bool *lock = native_lock(p);
		bool equal = !rt_memcmp(p, expected, n);
		rt_memcpy(equal ? p : expected, equal ? desired : p, n);
		native_unlock(lock);
		return equal;
	}
	rt_libc_read(expected, n, PC);
	rt_libc_read(desired, n, PC);
	before(p, n, true, PC);
	if (rt_memcmp(p, expected, n)) {
		ev_rmw(p, n, p, p, MODE_OF(fail_order), EVF_LIBC | EVF_FAILED, PC);
		give(expected, p, n, PC);
		return false;
	}
	ev_rmw(p, n, p, desired, MODE_OF(order), EVF_LIBC, PC);
	set(p, desired, n);
	return true;
}
