/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared exceptions.  References to an exception object are counted: std::exception_ptr and
 * handlers that have caught it hold one each, and the thread that drops the last one destroys the
 * object.  The count lies in front of the object (Itanium C++ ABI, __cxa_refcounted_exception of
 * libstdc++).  The functions that change it are taken over here: each change is reported as the
 * atomic read-modify-write that the library makes.  So which thread is the last one is explored,
 * and what the others did comes before the destructor.
 *
 * The pointer itself, one word in memory of the program's, is read and written as the library
 * does it.
 */
#include "rt/buffer.h"
#include "rt/clock.h"
#include "rt/cxx.h"
#include "wire/fault.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/shadow.h"
#include "wire/wire.h"

#define COUNT_BEFORE_OBJECT 128 /* sizeof(__cxa_refcounted_exception) */
#define HANDLERS_IN_HEADER 40	/* of __cxa_exception and __cxa_dependent_exception */

void cxx_exception_counted(const void *exception, int change, pc_t pc)
{
	if (!exception)
		return;
	if (FAULT(EXCEPTION_COUNT_HIDDEN))
		return;
	int *count = (int *)((uintptr_t)exception - COUNT_BEFORE_OBJECT);
	buffer_empty(); /* others may change the count meanwhile */
	int before = *count, after = before + change;
	libc_appeared(count, sizeof(*count), pc); /* the library gave it its first value */
	clock_saw_read((uintptr_t)count, sizeof(*count));
	*count = after;
	rt_memcpy((void *)SHADOW(count), count, sizeof(*count));
	clock_saw_write((uintptr_t)count, sizeof(*count));
	ev_rmw(count, sizeof(*count), &before, &after, MODE_ACQ_REL, EVF_LIBC, pc);
	*count = before; /* the library is called next and does the same */
}

/* Does the handler drop its exception when it ends?  It may be nested, or throw again. */
static bool is_last_handler(void)
{
	const char *header = *(const char *const *)REAL_CXX(__cxa_get_globals)();
	return header && *(const int *)(header + HANDLERS_IN_HEADER) == 1;
}

RT_EXPORT void __cxa_end_catch(void)
{
	if (libc_enter(PC) && is_last_handler())
		cxx_exception_counted(cxx_current_exception(), -1, PC);
	REAL_CXX(__cxa_end_catch)();
}

/* explicit exception_ptr(void *): the end of std::make_exception_ptr, which has made the object
 * before. */
RT_EXPORT void _ZNSt15__exception_ptr13exception_ptrC1EPv(void **self, void *exception)
{
	bool controlled = libc_enter(PC);
	if (controlled) {
		libc_will_write(self, sizeof(*self), PC);
		cxx_report_made(exception, PC);
		cxx_exception_counted(exception, 1, PC);
	}
	REAL_CXX(_ZNSt15__exception_ptr13exception_ptrC1EPv)(self, exception);
	if (controlled)
		rt_libc_wrote(self, sizeof(*self), PC);
}
void _ZNSt15__exception_ptr13exception_ptrC2EPv(void **self, void *exception)
	LIBC_ALIAS(_ZNSt15__exception_ptr13exception_ptrC1EPv);

static void count_by_pointer(void **self, int change, pc_t pc)
{
	rt_libc_read(self, sizeof(*self), pc);
	cxx_exception_counted(*self, change, pc);
}

RT_EXPORT void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **self)
{
	if (libc_enter(PC))
		count_by_pointer(self, 1, PC);
	REAL_CXX(_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv)(self);
}

/* The last one runs the destructor of the exception, code of the program's that others may
 * interrupt. */
RT_EXPORT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **self)
{
	bool controlled = libc_enter(PC);
	if (controlled)
		count_by_pointer(self, -1, PC);
	void *before = *self;
	REAL_CXX(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(self);
	if (controlled && *self != before)
		rt_libc_wrote(self, sizeof(*self), PC);
}

/* The result is made where the caller says, and its address returned. */
RT_EXPORT void **_ZSt17current_exceptionv(void **result)
{
	bool controlled = libc_enter(PC);
	if (controlled) {
		libc_will_write(result, sizeof(*result), PC);
		cxx_exception_counted(cxx_current_exception(), 1, PC);
	}
	REAL_CXX(_ZSt17current_exceptionv)(result);
	if (controlled)
		rt_libc_wrote(result, sizeof(*result), PC);
	return result;
}
