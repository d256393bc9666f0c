/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new and delete.  libstdc++'s forms call malloc and free; taken here, the call is a hook of the
 * program's own code, with its place, and the block remembers which family of functions it
 * belongs to.
 *
 * What happens when memory is exhausted (the new-handler, std::bad_alloc) is left to the library.
 * A program that replaces a form keeps it, since ours are weak; the array and nothrow forms,
 * which by default call the plain one, then must reach the program's.
 */
#include "rt/cxx.h"
#include "rt/heap.h"
#include "rt/rt.h"
#include "rt/start.h"

#define PLAIN_ALIGNMENT 16

static bool new_is_replaced(void)
{
	return !rt_owns_code((uintptr_t)_Znwm);
}

static void *make(size_t size, size_t alignment, enum heap_family family, pc_t pc)
{
	return heap_is_in_use() ? heap_allocate(size, alignment, family, pc) : NULL;
}

RT_EXPORT void *_Znwm(size_t size)
{
	void *p = make(size, PLAIN_ALIGNMENT, HEAP_NEW, PC);
	return p ? p : REAL_CXX(_Znwm)(size);
}

RT_EXPORT void *_Znam(size_t size)
{
	if (new_is_replaced())
		return _Znwm(size);
	void *p = make(size, PLAIN_ALIGNMENT, HEAP_NEW_ARRAY, PC);
	return p ? p : REAL_CXX(_Znam)(size);
}

RT_EXPORT void *_ZnwmSt11align_val_t(size_t size, size_t alignment)
{
	void *p = make(size, alignment, HEAP_NEW, PC);
	return p ? p : REAL_CXX(_ZnwmSt11align_val_t)(size, alignment);
}

RT_EXPORT void *_ZnamSt11align_val_t(size_t size, size_t alignment)
{
	void *p = make(size, alignment, HEAP_NEW_ARRAY, PC);
	return p ? p : REAL_CXX(_ZnamSt11align_val_t)(size, alignment);
}

/* The library's nothrow forms catch what a replaced plain form throws. */
RT_EXPORT void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag)
{
	void *p = new_is_replaced() ? NULL : make(size, PLAIN_ALIGNMENT, HEAP_NEW, PC);
	return p ? p : REAL_CXX(_ZnwmRKSt9nothrow_t)(size, tag);
}

RT_EXPORT void *_ZnamRKSt9nothrow_t(size_t size, const void *tag)
{
	void *p = new_is_replaced() ? NULL : make(size, PLAIN_ALIGNMENT, HEAP_NEW_ARRAY, PC);
	return p ? p : REAL_CXX(_ZnamRKSt9nothrow_t)(size, tag);
}

RT_EXPORT void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *tag)
{
	void *p = make(size, alignment, HEAP_NEW, PC);
	return p ? p : REAL_CXX(_ZnwmSt11align_val_tRKSt9nothrow_t)(size, alignment, tag);
}

RT_EXPORT void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *tag)
{
	void *p = make(size, alignment, HEAP_NEW_ARRAY, PC);
	return p ? p : REAL_CXX(_ZnamSt11align_val_tRKSt9nothrow_t)(size, alignment, tag);
}

/* The form that the library's own one would call, if the program has replaced it. */
static bool released_by_program(void (*plain)(void *), void *block)
{
	if (rt_owns_code((uintptr_t)plain))
		return false;
	plain(block);
	return true;
}

static bool single_is_replaced(void *block)
{
	return released_by_program(_ZdlPv, block);
}

static bool array_is_replaced(void *block)
{
	return released_by_program(_ZdaPv, block) || released_by_program(_ZdlPv, block);
}

/* The aligned forms have a plain form of their own, which has never been called with a block of
 * ours. */
static bool aligned_is_replaced(void *block)
{
	(void)block;
	return false;
}

/* A block of our heap goes back to it, whether control is on or not; everything else is the
 * library's. */
#define DELETE(name, family, is_replaced, parameters, arguments)         \
	RT_EXPORT void name parameters                                   \
	{                                                                \
		if (is_replaced(block))                                  \
			return;                                          \
		if (heap_contains((uintptr_t)block) || heap_is_in_use()) \
			heap_release(block, family, PC);                 \
		else                                                     \
			REAL_CXX(name) arguments;                        \
	}
#define SINGLE(name, parameters, arguments) \
	DELETE(name, HEAP_NEW, single_is_replaced, parameters, arguments)
#define ARRAY(name, parameters, arguments) \
	DELETE(name, HEAP_NEW_ARRAY, array_is_replaced, parameters, arguments)
#define ALIGNED(name, family, parameters, arguments) \
	DELETE(name, family, aligned_is_replaced, parameters, arguments)

SINGLE(_ZdlPv, (void *block), (block))
SINGLE(_ZdlPvm, (void *block, size_t size), (block, size))
SINGLE(_ZdlPvRKSt9nothrow_t, (void *block, const void *tag), (block, tag))
ARRAY(_ZdaPv, (void *block), (block))
ARRAY(_ZdaPvm, (void *block, size_t size), (block, size))
ARRAY(_ZdaPvRKSt9nothrow_t, (void *block, const void *tag), (block, tag))
ALIGNED(_ZdlPvSt11align_val_t, HEAP_NEW, (void *block, size_t alignment), (block, alignment))
ALIGNED(_ZdaPvSt11align_val_t, HEAP_NEW_ARRAY, (void *block, size_t alignment), (block, alignment))
ALIGNED(_ZdlPvmSt11align_val_t, HEAP_NEW, (void *block, size_t size, size_t alignment),
	(block, size, alignment))
ALIGNED(_ZdaPvmSt11align_val_t, HEAP_NEW_ARRAY, (void *block, size_t size, size_t alignment),
	(block, size, alignment))
ALIGNED(_ZdlPvSt11align_val_tRKSt9nothrow_t, HEAP_NEW,
	(void *block, size_t alignment, const void *tag), (block, alignment, tag))
ALIGNED(_ZdaPvSt11align_val_tRKSt9nothrow_t, HEAP_NEW_ARRAY,
	(void *block, size_t alignment, const void *tag), (block, alignment, tag))
