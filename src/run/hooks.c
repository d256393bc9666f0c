/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the compilers call: the interface of -fsanitize=thread, except atomics (atomic.c).
 *
 * In the common case the thread has already recorded the access with its present stamp: the four
 * cells are compared at once with what would be stored, and nothing else is done.
 * run_self is NULL in a process that is not watched and in threads without a struct thr.
 */
#include "run/history.h"
#include "run/place.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/start.h"
#include "run/thr.h"

#define FAST static inline __attribute__((always_inline)) void

FAST aligned(void *address, unsigned size, uint32_t flags, uintptr_t pc)
{
	struct thr *t = run_self;
	if (unlikely(!t))
		return;
	uint32_t *cells = shadow_of((uintptr_t)address);
	uint32_t mask = size == 8 ? 0xff : ((1u << size) - 1) << ((uintptr_t)address & 7);
	if (likely(is_recorded(cells, t->base | mask << 2 | flags)))
		return;
	access_granule(t, cells, (uintptr_t)address, size, flags, pc);
}

FAST any(void *address, unsigned size, uint32_t flags, uintptr_t pc)
{
	if (likely(((uintptr_t)address & 7) + size <= 8)) {
		aligned(address, size, flags, pc);
	} else if (run_self) {
		access_range(run_self, (uintptr_t)address, size, flags, pc);
	}
}

static void range(void *address, size_t size, uint32_t flags, uintptr_t pc)
{
	if (run_self && size)
		access_range(run_self, (uintptr_t)address, size, flags, pc);
}

#define HOOK(name)                           \
	RUN_EXPORT void name(void *address); \
	RUN_EXPORT void name(void *address)
#define ALIGNED(n)                                   \
	HOOK(__tsan_read##n)                         \
	{                                            \
		aligned(address, n, 0, PC);          \
	}                                            \
	HOOK(__tsan_write##n)                        \
	{                                            \
		aligned(address, n, CELL_WRITE, PC); \
	}                                            \
	HOOK(__tsan_volatile_read##n)                \
	{                                            \
		aligned(address, n, 0, PC);          \
	}                                            \
	HOOK(__tsan_volatile_write##n)               \
	{                                            \
		aligned(address, n, CELL_WRITE, PC); \
	}                                            \
	HOOK(__tsan_read_write##n)                   \
	{                                            \
		aligned(address, n, 0, PC);          \
		aligned(address, n, CELL_WRITE, PC); \
	}
#define UNALIGNED(n)                             \
	HOOK(__tsan_unaligned_read##n)           \
	{                                        \
		any(address, n, 0, PC);          \
	}                                        \
	HOOK(__tsan_unaligned_write##n)          \
	{                                        \
		any(address, n, CELL_WRITE, PC); \
	}                                        \
	HOOK(__tsan_unaligned_volatile_read##n)  \
	{                                        \
		any(address, n, 0, PC);          \
	}                                        \
	HOOK(__tsan_unaligned_volatile_write##n) \
	{                                        \
		any(address, n, CELL_WRITE, PC); \
	}                                        \
	HOOK(__tsan_unaligned_read_write##n)     \
	{                                        \
		any(address, n, 0, PC);          \
		any(address, n, CELL_WRITE, PC); \
	}

ALIGNED(1)
ALIGNED(2)
ALIGNED(4)
ALIGNED(8)
UNALIGNED(1)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

HOOK(__tsan_read16)
{
	aligned(address, 8, 0, PC);
	aligned((char *)address + 8, 8, 0, PC);
}
HOOK(__tsan_write16)
{
	aligned(address, 8, CELL_WRITE, PC);
	aligned((char *)address + 8, 8, CELL_WRITE, PC);
}
HOOK(__tsan_volatile_read16)
{
	range(address, 16, 0, PC);
}
HOOK(__tsan_volatile_write16)
{
	range(address, 16, CELL_WRITE, PC);
}
HOOK(__tsan_read_write16)
{
	range(address, 16, 0, PC);
	range(address, 16, CELL_WRITE, PC);
}
FAST vptr(void *address, uint32_t flags, uintptr_t pc)
{
	struct thr *t = run_self;
	if (unlikely(!t))
		return;
	t->is_vptr_access = true;
	aligned(address, 8, flags, pc);
	t->is_vptr_access = false;
}

HOOK(__tsan_vptr_read)
{
	vptr(address, 0, PC);
}

/* A constructor that stores the same table again (of its base class) does not conflict. */
RUN_EXPORT void __tsan_vptr_update(void **address, void *value);
RUN_EXPORT void __tsan_vptr_update(void **address, void *value)
{
	if (*address != value)
		vptr(address, CELL_WRITE, PC);
}

RUN_EXPORT void __tsan_read_range(void *address, size_t size);
RUN_EXPORT void __tsan_read_range(void *address, size_t size)
{
	range(address, size, 0, PC);
}

RUN_EXPORT void __tsan_write_range(void *address, size_t size);
RUN_EXPORT void __tsan_write_range(void *address, size_t size)
{
	range(address, size, CELL_WRITE, PC);
}

RUN_EXPORT void __tsan_func_entry(void *call);
RUN_EXPORT void __tsan_func_entry(void *call)
{
	if (likely(run_self))
		history_enter(run_self, (uintptr_t)call);
}

RUN_EXPORT void __tsan_func_exit(void);
RUN_EXPORT void __tsan_func_exit(void)
{
	if (likely(run_self))
		history_leave(run_self);
}

RUN_EXPORT void __tsan_init(void);
RUN_EXPORT void __tsan_init(void)
{
	start_begin();
	if (run_state.is_active)
		place_add_module(PC);
}

RUN_EXPORT void __tsan_ignore_thread_begin(void);
RUN_EXPORT void __tsan_ignore_thread_begin(void)
{
	if (run_self)
		run_self->ignored++;
}

RUN_EXPORT void __tsan_ignore_thread_end(void);
RUN_EXPORT void __tsan_ignore_thread_end(void)
{
	if (run_self && run_self->ignored)
		run_self->ignored--;
}

/* Accesses of any alignment that programs write as calls (sanitizer/common_interface_defs.h). */
#define CALLED(bits)                                                                           \
	RUN_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(void *address);             \
	RUN_EXPORT void __sanitizer_unaligned_store##bits(void *address, uint##bits##_t);      \
	RUN_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(void *address)              \
	{                                                                                      \
		uint##bits##_t value;                                                          \
		any(address, bits / 8, 0, PC);                                                 \
		__builtin_memcpy(&value, address, bits / 8);                                   \
		return value;                                                                  \
	}                                                                                      \
	RUN_EXPORT void __sanitizer_unaligned_store##bits(void *address, uint##bits##_t value) \
	{                                                                                      \
		any(address, bits / 8, CELL_WRITE, PC);                                        \
		__builtin_memcpy(address, &value, bits / 8);                                   \
	}
CALLED(16)
CALLED(32)
CALLED(64)
