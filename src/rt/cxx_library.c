/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small functions that exist only inside libstdc++ and touch objects of the program's:
 * std::thread, results of futures, hash tables.  Their accesses are reported here.  Otherwise a
 * race on such an object would be invisible, and the next hooked read of it would find it changed
 * by an unknown thread.
 */
#include <errno.h>

#include "rt/cxx.h"
#include "rt/libc_wrap.h"
#include "rt/thread.h"
#include "wire/wire.h"

/* ---- std::thread: the handle, 0 if there is no thread ---- */

typedef int end_of_handle(pthread_t handle, pc_t pc);

static int join_thread(pthread_t handle, pc_t pc)
{
	return thread_join(handle, NULL, pc);
}

/* false: it failed, and the library is to throw what it throws. */
static bool give_up_handle(pthread_t *self, end_of_handle *end, pc_t pc)
{
	rt_libc_read(self, sizeof(*self), pc);
	if (!*self || end(*self, pc))
		return false;
	libc_will_write(self, sizeof(*self), pc);
	*self = 0;
	rt_libc_wrote(self, sizeof(*self), pc);
	return true;
}

RT_EXPORT void _ZNSt6thread4joinEv(pthread_t *self)
{
	if (!rt_wrapper(PC) || !give_up_handle(self, join_thread, PC))
		REAL_CXX(_ZNSt6thread4joinEv)(self);
}

RT_EXPORT void _ZNSt6thread6detachEv(pthread_t *self)
{
	if (!rt_wrapper(PC) || !give_up_handle(self, thread_detach, PC))
		REAL_CXX(_ZNSt6thread6detachEv)(self);
}

/* ---- what a future and its promise share ---- */

struct result_base { /* std::__future_base::_Result_base */
	struct cxx_object object;
	void *error;
};

RT_EXPORT void _ZNSt13__future_base12_Result_baseC1Ev(struct result_base *self)
{
	bool controlled = libc_enter(PC);
	REAL_CXX(_ZNSt13__future_base12_Result_baseC1Ev)(self);
	if (controlled)
		rt_libc_wrote(self, sizeof(*self), PC);
}
void _ZNSt13__future_base12_Result_baseC2Ev(struct result_base *self)
	LIBC_ALIAS(_ZNSt13__future_base12_Result_baseC1Ev);

/* It releases the exception, if there is one, by a call inside the library. */
RT_EXPORT void _ZNSt13__future_base12_Result_baseD1Ev(struct result_base *self)
{
	bool controlled = libc_enter(PC);
	if (controlled) {
		rt_libc_read(&self->error, sizeof(self->error), PC);
		cxx_exception_counted(self->error, -1, PC);
	}
	REAL_CXX(_ZNSt13__future_base12_Result_baseD1Ev)(self);
	if (controlled)
		rt_libc_wrote(self, sizeof(*self), PC);
}
void _ZNSt13__future_base12_Result_baseD2Ev(struct result_base *self)
	LIBC_ALIAS(_ZNSt13__future_base12_Result_baseD1Ev);

/* ---- unordered containers ---- */

static void report_policy(const struct rehash_policy *policy, size_t resize_before, pc_t pc)
{
	if (policy->next_resize != resize_before)
		rt_libc_wrote(&policy->next_resize, sizeof(policy->next_resize), pc);
}

RT_EXPORT size_t
_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(const struct rehash_policy *self, size_t n)
{
	bool controlled = libc_enter_pure(PC);
	if (controlled)
		rt_libc_read(self, sizeof(self->max_load), PC);
	size_t before = self->next_resize;
	size_t result = REAL_CXX(_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm)(self, n);
	if (controlled)
		report_policy(self, before, PC);
	return result;
}

RT_EXPORT struct rehash_need _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(
	const struct rehash_policy *self, size_t buckets, size_t elements, size_t more)
{
	bool controlled = libc_enter_pure(PC);
	if (controlled) {
		rt_libc_read(&self->next_resize, sizeof(self->next_resize), PC);
		if (elements + more > self->next_resize)
			rt_libc_read(self, sizeof(self->max_load), PC);
	}
	size_t before = self->next_resize;
	struct rehash_need result =
		REAL_CXX(_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm)(self, buckets,
										    elements, more);
	if (controlled)
		report_policy(self, before, PC);
	return result;
}

/* std::hash of strings. */
RT_EXPORT size_t _ZSt11_Hash_bytesPKvmm(const void *bytes, size_t n, size_t seed)
{
	if (libc_enter_pure(PC))
		rt_libc_read(bytes, n, PC);
	return REAL_CXX(_ZSt11_Hash_bytesPKvmm)(bytes, n, seed);
}

/* ---- std::random_device ---- */

/*
 * By default it asks an instruction of the processor, which nothing can record.  Where it does
 * not read a file, the bytes come from the kernel instead, as an input.
 */
RT_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(struct random_device *self)
{
	unsigned value;
	if (!self->draw || self->file || !rt_wrapper(PC) ||
	    LIBC_CALL(REAL_FN(getrandom)(&value, sizeof(value), 0)) != sizeof(value))
		return REAL_CXX(_ZNSt13random_device9_M_getvalEv)(self);
	return value;
}
unsigned _ZNSt13random_device16_M_getval_pretr1Ev(struct random_device *self)
	LIBC_ALIAS(_ZNSt13random_device9_M_getvalEv);

/* ---- standard streams ---- */

/*
 * Without stdio behind them std::cout and its like have buffers of their own, which the library
 * changes and flushes at exit without a lock, and out of sight.
 */
RT_EXPORT bool _ZNSt8ios_base15sync_with_stdioEb(bool is_synchronised)
{
	bool controlled = rt_wrapper(PC);
	bool result = REAL_CXX(_ZNSt8ios_base15sync_with_stdioEb)(is_synchronised);
	if (controlled && !is_synchronised)
		ev_access(EV_OUTSIDE_WRITE, &libc_hidden_objects[HIDDEN_STREAMS], 1, MODE_PLAIN, 0,
			  PC);
	return result;
}
